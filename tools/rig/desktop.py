"""A bus, folders and a daemon that nobody else sees."""

import os
import select
import shutil
import signal
import subprocess
import tempfile

from . import processes
from .processes import Failed

NAME = "org.voiced.Voiced1"
PROGRAMS = ("voiced", "voiced-source", "voiced-take", "vctl")


def programs(folder):
    """The absolute path of a folder with built programs."""
    folder = os.path.abspath(folder)
    for program in PROGRAMS:
        if not os.access(os.path.join(folder, program), os.X_OK):
            raise Failed(f"{folder}/{program} is not there; \"make build\" builds it.")
    return folder


class Desktop:
    """A session bus and XDG folders of its own, deleted with it."""

    def __init__(self, bin_folder, configuration=""):
        self.bin = programs(bin_folder)
        # Socket paths end at 108 bytes: a short place.
        self.folder = tempfile.mkdtemp(prefix="voiced.", dir=os.environ.get("TMPDIR", "/tmp"))
        self.bus = self.daemon = None
        self.env = {
            key: value for key, value in os.environ.items()
            if not key.startswith(("DBUS_", "XDG_", "PIPEWIRE_", "VOICED_", "PULSE_"))}
        for name, part in (("RUNTIME_DIR", "run"), ("STATE_HOME", "state"),
                           ("CONFIG_HOME", "config"), ("DATA_HOME", "data"),
                           ("CACHE_HOME", "cache")):
            path = os.path.join(self.folder, part)
            os.mkdir(path, 0o700)
            self.env["XDG_" + name] = path
        self.env.update(
            PIPEWIRE_RUNTIME_DIR=self.folder + "/run",
            DBUS_SESSION_BUS_ADDRESS=f"unix:path={self.folder}/run/bus",
            DBUS_SYSTEM_BUS_ADDRESS=f"unix:path={self.folder}/run/no-system-bus")
        if configuration:
            os.mkdir(self.folder + "/config/voiced")
            with open(self.folder + "/config/voiced/voiced.conf", "w") as file:
                file.write(configuration)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    @property
    def address(self):
        return self.env["DBUS_SESSION_BUS_ADDRESS"]

    @property
    def state(self):
        return self.folder + "/state/voiced"

    def log(self, name):
        return f"{self.folder}/{name}.log"

    def log_tail(self, name, lines=5):
        try:
            with open(self.log(name), errors="replace") as file:
                return " / ".join(file.read().strip().splitlines()[-lines:])
        except OSError:
            return ""

    def start_bus(self):
        """Starts the bus; returns when it listens."""
        reader, writer = os.pipe()
        self.bus = processes.start(
            ["dbus-daemon", "--session", "--nofork", "--nopidfile", "--address=" + self.address,
             f"--print-address={writer}"], self.env, self.log("bus"), pass_fds=[writer])
        os.close(writer)
        try:
            ready, _, _ = select.select([reader], [], [], 10)
            if not ready or not os.read(reader, 1):
                raise Failed(f"No private bus could be started: {self.log_tail('bus')}")
        finally:
            os.close(reader)

    def start_daemon(self):
        """Starts voiced; its name is waited for by whoever needs it."""
        self.daemon = processes.start([self.bin + "/voiced"], self.env, self.log("voiced"))
        return self.daemon

    def wait_for_daemon(self, deadline=10):
        """Returns when voiced answers, by asking it with vctl."""
        def answers():
            if self.daemon.poll() is not None:
                raise Failed(f"voiced ended: {self.log_tail('voiced')}")
            return self.vctl("status").returncode == 0
        if not processes.wait_until(deadline, answers, 0.02):
            raise Failed(f"voiced does not answer: {self.log_tail('voiced')}")

    def vctl(self, *words, timeout=30):
        return subprocess.run(
            [self.bin + "/vctl", *words], env=self.env, stdin=subprocess.DEVNULL,
            capture_output=True, text=True, timeout=timeout)

    def close(self):
        """Ends everything, in order, and deletes the folders."""
        if self.folder is None:
            return
        # A second Ctrl-C must not leave half of it running.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        processes.end(self.daemon)
        processes.end(self.bus)
        # A daemon that was killed leaves children that end by themselves, soon.
        processes.wait_until(6, lambda: not processes.started_with(self.folder), 0.02)
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder = None
