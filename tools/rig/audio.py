"""A PipeWire and a WirePlumber without any device, and microphones made of a player."""

import json
import os
import signal
import subprocess

from . import processes
from .processes import Failed

QUANTUM = 1024


class Audio:
    """The private audio server of a desktop."""

    def __init__(self, desktop):
        self.desktop = desktop
        self.pipewire = self.wireplumber = None
        self.microphones = {}

    def tool(self, *words, timeout=5):
        """Output of one of PipeWire's tools; empty when it fails or the server is stalled."""
        try:
            done = subprocess.run(
                list(words), env=self.desktop.env, stdin=subprocess.DEVNULL, capture_output=True,
                text=True, timeout=timeout)
            return done.stdout if done.returncode == 0 else ""
        except subprocess.TimeoutExpired:
            return ""
        except FileNotFoundError:
            raise Failed(f"{words[0]} is not installed; \"make deps\" installs what is missing.")

    def start(self):
        """Starts both and returns when the session policy runs."""
        self.start_pipewire()
        self.start_wireplumber()
        # When the quantum changes, 0.3.65 mutes a feeding stream for a while: it is pinned.
        self.tool("pw-metadata", "-n", "settings", "0", "clock.force-quantum", str(QUANTUM))

    def start_pipewire(self):
        self.pipewire = processes.start(["pipewire"], self.desktop.env, self.desktop.log("pipewire"))
        if not processes.wait_until(8, lambda: self.tool("pw-cli", "ls", "Core")):
            raise Failed(f"pipewire did not start: {self.desktop.log_tail('pipewire')}")

    def start_wireplumber(self):
        self.wireplumber = processes.start(
            ["wireplumber"], self.desktop.env, self.desktop.log("wireplumber"))
        # Its second client is there once the policy scripts run.
        ready = processes.wait_until(8, lambda: "export" in self.tool("pw-cli", "ls", "Client"))
        if not ready:
            raise Failed(f"wireplumber did not start: {self.desktop.log_tail('wireplumber')}")

    def kill_policy(self):
        processes.end(self.wireplumber, signal.SIGKILL)

    def kill_server(self):
        """A crash of the server; microphones go with it, as hardware nodes would."""
        self.kill_policy()
        processes.end(self.pipewire, signal.SIGKILL)
        for name in list(self.microphones):
            self.unplug(name)

    def plug(self, name, file, wait=True):
        """Plugs a microphone in that hears `file` once; it is unplugged with its process."""
        properties = (
            f'{{ media.class=Audio/Source node.name="{name}" node.description="{name}" '
            f'node.latency={QUANTUM}/48000 state.restore-props=false state.restore-target=false }}')
        self.microphones[name] = processes.start(
            ["pw-cat", "-p", "--target", "0", "--latency", str(QUANTUM), "-P", properties, file],
            self.desktop.env, self.desktop.log("microphone"))
        if wait and not processes.wait_until(5, lambda: self.node(name) is not None):
            raise Failed(f"No virtual microphone: {self.desktop.log_tail('microphone')}")
        if wait and not processes.wait_until(5, self.default_source):
            raise Failed("The policy chose no default microphone.")

    def unplug(self, name):
        processes.end(self.microphones.pop(name, None))

    def graph(self):
        try:
            return json.loads(self.tool("pw-dump") or "[]")
        except ValueError:
            return []

    def nodes(self):
        return [entry for entry in self.graph() if entry.get("type", "").endswith(":Node")]

    def node(self, name):
        for entry in self.nodes():
            if entry.get("info", {}).get("props", {}).get("node.name") == name:
                return entry["id"]
        return None

    def default_source(self):
        for entry in self.graph():
            if (entry.get("props") or {}).get("metadata.name") == "default":
                for item in entry.get("metadata", []):
                    if item["key"] == "default.audio.source":
                        return item["value"].get("name")
        return None

    def make_default(self, name):
        number = self.node(name)
        if number is not None:
            self.tool("wpctl", "set-default", str(number))

    def close(self):
        for name in list(self.microphones):
            self.unplug(name)
        processes.end(self.wireplumber)
        processes.end(self.pipewire)


def speech(desktop, seconds, name="voice.wav"):
    """A file of espeak-ng's voice, repeated for `seconds`, mono 48 kHz."""
    path = os.path.join(desktop.folder, name)
    said = path + ".said.wav"
    text = ("The quick brown fox jumps over the lazy dog. She sells sea shells on the shore, "
            "and nobody asks how much wood a woodchuck would chuck.")
    try:
        subprocess.run(["espeak-ng", "-w", said, text], check=True, capture_output=True)
        subprocess.run(
            ["ffmpeg", "-v", "error", "-y", "-stream_loop", "-1", "-i", said, "-t", str(seconds),
             "-ac", "1", "-ar", "48000", "-c:a", "pcm_s16le", path], check=True)
    except (OSError, subprocess.CalledProcessError) as error:
        raise Failed(f"No speech could be made for the virtual microphone: {error}")
    os.unlink(said)
    return path
