"""What goes wrong around the daemon, at random."""

import os
import signal

from rig import processes

MICROPHONES = ("vmic-a", "vmic-b")


class Faults:
    """Each method is one fault; what undoes it is scheduled by `later(seconds, work)`."""

    def __init__(self, dice, desktop, sound, voice, later):
        self.dice, self.desktop, self.sound, self.voice = dice, desktop, sound, voice
        self.later = later
        self.busy = set()

    def all(self):
        return {
            "kill -9 of a source": self.kill_source,
            "source stopped for a while": self.stop_source,
            "kill -9 of a take process": self.kill_take,
            "microphone unplugged": self.unplug,
            "default microphone changed": self.change_default,
            "wireplumber killed": self.kill_policy,
            "pipewire killed": self.kill_server,
            "pipewire stalled": self.stall_server,
        }

    def _child(self, name):
        found = [pid for pid, words in processes.children(self.desktop.daemon.pid)
                 if processes.program(words) == name and "--" not in " ".join(words[1:2])]
        return self.dice.choice(found) if found else None

    def _once(self, name, seconds, undo):
        """Runs `undo` later; False while the same thing is still being undone."""
        if name in self.busy:
            return False
        self.busy.add(name)

        def work():
            self.busy.discard(name)
            undo()
        self.later(seconds, work)
        return True

    def _signal(self, pid, number):
        try:
            os.kill(pid, number)
            return True
        except ProcessLookupError:
            return False

    def kill_source(self):
        pid = self._child("voiced-source")
        return pid is not None and self._signal(pid, signal.SIGKILL)

    def stop_source(self):
        pid = self._child("voiced-source")
        if pid is None or not self._once("stop", self.dice.uniform(0.1, 2),
                                         lambda: self._signal(pid, signal.SIGCONT)):
            return False
        return self._signal(pid, signal.SIGSTOP)

    def kill_take(self):
        pid = self._child("voiced-take")
        return pid is not None and self._signal(pid, signal.SIGKILL)

    def unplug(self):
        name = self.dice.choice(MICROPHONES)
        if "server" in self.busy or not self._once(name, self.dice.uniform(0.1, 5),
                                                   lambda: self.plug(name)):
            return False
        self.sound.unplug(name)
        return True

    def plug(self, name):
        if "server" not in self.busy:
            self.sound.plug(name, self.voice, wait=False)

    def keep_plugged(self):
        """Microphones end with their material; a new one takes their place."""
        for name in MICROPHONES:
            process = self.sound.microphones.get(name)
            if name not in self.busy and (process is None or process.poll() is not None):
                self.plug(name)

    def change_default(self):
        if self.busy & {"server", "stall", "policy"}:
            return False
        self.sound.make_default(self.dice.choice(MICROPHONES))
        return True

    def kill_policy(self):
        if self.busy & {"server", "stall"} or not self._once(
                "policy", self.dice.uniform(0.1, 4), self._restart_policy):
            return False
        self.sound.kill_policy()
        return True

    def _restart_policy(self):
        if "server" not in self.busy:
            self.sound.start_wireplumber()

    def kill_server(self):
        if self.busy & {"stall", "policy"} or not self._once(
                "server", self.dice.uniform(0.1, 5), self._restart_server):
            return False
        self.sound.kill_server()
        return True

    def _restart_server(self):
        self.sound.start()

    def stall_server(self):
        if self.busy & {"server", "policy"}:
            return False
        pid = self.sound.pipewire.pid
        if not self._once("stall", self.dice.uniform(0.2, 4),
                          lambda: self._signal(pid, signal.SIGCONT)):
            return False
        return self._signal(pid, signal.SIGSTOP)
