"""Who uses the daemon during a soak: clients in all their kinds."""

import collections
import os
import signal
import time

from gi.repository import GLib

from rig import processes
from rig.client import MANAGER, RECORDER, Client, variants
from rig.desktop import NAME

VERBS = ("Start", "Press", "Release", "Lock", "Send", "Cancel")
FORMATS = ("m4a", "opus", "opus16k", "wav16k", "wav", "flac")
# What a correct client may be told at any time.
EXPECTED = {"NoSuchTarget", "LimitExceeded", "AccessOff", "NoSuchTake", "SourceFailed",
            "SourceUnavailable", "NotAudio"}


class Users:
    """The shared recorder's users, private recorders, leases, and programs that die or hang."""

    def __init__(self, dice, desktop, ledger, clip, later):
        self.dice, self.desktop, self.ledger, self.clip = dice, desktop, ledger, clip
        self.later = later
        self.watcher = Client(desktop.address)
        self.watcher.on_signal = ledger.heard
        self.driver = Client(desktop.address, listen=False)
        self.leases = []
        self.owners = []
        self.programs = []
        self.answers = []
        self.verbs = []
        self.errors = collections.Counter()
        self.unexpected = []

    def all(self):
        return {
            "verb": self.verb, "storm of verbs": self.storm, "take with options": self.begin,
            "press and release": self.press, "lease opened": self.lease,
            "lease closed": self.unlease, "private recorder": self.private,
            "private owner leaves": self.leave, "vctl begins a take": self.record,
            "vctl monitors": self.monitor, "program killed": self.kill_program,
            "program hangs": self.hang_program, "everything asked": self.ask,
            "access switched": self.switch, "nonsense": self.nonsense, "take forgotten": self.forget,
        }

    def _ask(self, work, answers=None):
        """Runs one call; its time and its error are kept."""
        began = time.monotonic()
        try:
            return work()
        except GLib.Error as error:
            name = (error.message or "").split(":")[1].rpartition(".")[2] \
                if "GDBus.Error" in (error.message or "") else error.message
            self.errors[name] += 1
            if name not in EXPECTED:
                self.unexpected.append(error.message)
            return None
        finally:
            (self.answers if answers is None else answers).append(time.monotonic() - began)

    def _target(self):
        """A source with a target and the seconds a take of it may last."""
        return self.dice.choice([
            {"source": "speech", "target": str(self.dice.randrange(99))},
            {"source": "microphone", "target": ""}, {"source": "microphone", "target": ""},
            {"source": "microphone", "target": "vmic-a"},
            {"source": "microphone", "target": "vmic-b"},
            {"source": "microphone", "target": "no-such-microphone"},
            {"source": "file", "target": self.clip}])

    # The shared recorder.

    def verb(self, name=None):
        name = name or self.dice.choice(VERBS)
        take = self._ask(lambda: self.driver.verb(name), self.verbs)
        if take and name in ("Start", "Press"):
            self.ledger.answered.add(take)
        return True

    def storm(self):
        for _ in range(self.dice.randrange(5, 40)):
            client = self.dice.choice((self.driver, self.watcher))
            client.send(RECORDER, self.dice.choice(VERBS))
        return True

    def begin(self):
        options = dict(self._target(), format=self.dice.choice(FORMATS),
                       maximum=self.dice.uniform(1, 8), hold=self.dice.random() < 0.5)
        take = self._ask(lambda: self.driver.begin(**options), self.verbs)
        if take:
            self.ledger.answered.add(take)
        return True

    def press(self):
        self.verb("Press")
        self.later(self.dice.choice((0.05, 0.3, 1, 2.5)), lambda: self.verb("Release"))
        return True

    # Leases and private recorders.

    def lease(self):
        if len(self.leases) > 10:
            return False
        options = variants(dict(self._target(), rate=self.dice.randrange(1, 61)))
        path = self._ask(lambda: self.watcher.call(
            MANAGER, "OpenMonitor", GLib.Variant("(a{sv})", (options,)))[0])
        if path:
            self.leases.append(path)
        return True

    def unlease(self):
        if not self.leases:
            return False
        path = self.leases.pop(self.dice.randrange(len(self.leases)))
        try:
            self.watcher.call((path, NAME + ".Monitor"), "Close")
        except GLib.Error:
            pass  # Its source had ended, and the lease with it.
        return True

    def private(self):
        """An owner with a recorder of its own begins a take."""
        if len(self.owners) > 4:
            return False
        owner = Client(self.desktop.address)
        owner.on_signal = lambda entry, path=[None]: (
            self.ledger.heard(entry) if entry[1] != RECORDER[0] else None)
        chosen = self._target()
        options = variants(
            {"Source": chosen["source"], "Target": chosen["target"],
             "Format": self.dice.choice(FORMATS), "MaximumDuration": self.dice.uniform(1, 5)})
        path = self._ask(lambda: owner.call(
            MANAGER, "CreateRecorder", GLib.Variant("(a{sv})", (options,)))[0])
        if path is None:
            owner.close()
            return False
        recorder = (path, NAME + ".Recorder")
        take = self._ask(lambda: owner.verb("Start", recorder))
        if take:
            self.ledger.answered.add(take)
        self.owners.append((owner, recorder, take))
        self.later(self.dice.uniform(0.2, 4), lambda: self._send(owner, recorder))
        return True

    def _send(self, owner, recorder):
        if any(entry[0] is owner for entry in self.owners):
            self._ask(lambda: owner.verb(self.dice.choice(("Send", "Cancel")), recorder))

    def leave(self):
        """An owner goes, in the middle of its take or after it."""
        if not self.owners:
            return False
        owner, _, take = self.owners.pop(self.dice.randrange(len(self.owners)))
        if take and not self.ledger.endings[take]:
            self.ledger.owner_left([take])
        owner.on_signal = lambda entry: None
        owner.close()
        return True

    # Programs.

    def _start(self, *words):
        if len(self.programs) > 5:
            return False
        self.programs.append(processes.start(
            list(words), self.desktop.env, self.desktop.log("programs")))
        return True

    def record(self):
        return self._start(self.desktop.bin + "/vctl", "record", "--source",
                           self.dice.choice(("speech", "microphone")), "--max",
                           str(self.dice.randrange(1, 5)))

    def monitor(self):
        return self._start(*self.dice.choice((
            [self.desktop.bin + "/vctl", "monitor", "microphone", "--json"],
            [self.desktop.bin + "/vctl", "monitor", "speech"],
            [self.desktop.bin + "/vctl", "watch", "--format", "json"],
            ["gdbus", "monitor", "--session", "--dest", NAME])))

    def kill_program(self):
        self.programs = [program for program in self.programs if program.poll() is None]
        if not self.programs:
            return False
        program = self.programs.pop(self.dice.randrange(len(self.programs)))
        processes.end(program, signal.SIGKILL)
        return True

    def hang_program(self):
        """A client that stops reading; most wake up again."""
        self.programs = [program for program in self.programs if program.poll() is None]
        if not self.programs:
            return False
        program = self.dice.choice(self.programs)
        program.send_signal(signal.SIGSTOP)
        self.later(self.dice.uniform(1, 20), lambda: (
            program.send_signal(signal.SIGCONT) if program.poll() is None else None))
        return True

    # Everything else.

    def ask(self):
        for _ in range(5):
            for where in (RECORDER, MANAGER):
                self._ask(lambda: self.driver.connection.call_sync(
                    NAME, where[0], "org.freedesktop.DBus.Properties", "GetAll",
                    GLib.Variant("(s)", (where[1],)), None, 0, 5000, None))
        self._ask(lambda: self.driver.call(MANAGER, "GetTakes"))
        return True

    def switch(self):
        self._ask(lambda: self.driver.set(MANAGER, "Access", False))
        self.later(self.dice.uniform(0.05, 1.5),
                   lambda: self._ask(lambda: self.driver.set(MANAGER, "Access", True)))
        return True

    def nonsense(self):
        wrong = self.dice.choice((
            {"maximum": float("nan")}, {"minimum": -1.0}, {"no-such-key": True},
            {"source": "no-such-source"}, {"format": "x" * 5000}, {"source": 5}, {"hold": "yes"}))
        try:
            take = self.driver.begin(**wrong)
            # With a take running, Begin has nothing to act on, whatever it is asked.
            if take:
                self.unexpected.append(f"Begin({wrong}) answered {take}")
                self.ledger.answered.add(take)
        except GLib.Error as error:
            if "InvalidValue" not in error.message and "NoSuchSource" not in error.message:
                self.unexpected.append(f"Begin({wrong}): {error.message}")
        return True

    def forget(self):
        """Deletes a recording, so that the folder stays small."""
        if len(self.ledger.files) < 10:
            return False
        take = self.dice.choice(list(self.ledger.files))
        file = self.ledger.files.pop(take)
        self._ask(lambda: self.driver.call(MANAGER, "ForgetTake", GLib.Variant("(u)", (take,))))
        if os.path.exists(file):
            self.unexpected.append(f"the file of take {take} outlived ForgetTake")
        return True

    def close(self):
        """Ends all use: no take, no lease, no program; what is left after that is a fault."""
        self._ask(lambda: self.driver.set(MANAGER, "Access", True))
        for program in self.programs:
            processes.end(program, signal.SIGKILL)
        for owner, recorder, _ in self.owners:
            self._ask(lambda: owner.verb("Send", recorder))
        while self.leases:
            self.unlease()
        self.watcher.turn(1)
        self._ask(lambda: self.driver.verb("Send"))
        self.watcher.wait(lambda: not self.ledger.open(), 15)
        for owner, *_ in self.owners:
            owner.close()
