"""A client of the daemon on its private bus, by GLib."""

import time

import gi

gi.require_version("Gio", "2.0")
from gi.repository import Gio, GLib  # noqa: E402

from .desktop import NAME  # noqa: E402
from .processes import Failed  # noqa: E402

MANAGER = ("/org/voiced/Voiced1", NAME + ".Manager")
RECORDER = ("/org/voiced/Voiced1/Recorder", NAME + ".Recorder")


class Client:
    """One connection; signals are kept with the time at which they were read."""

    def __init__(self, address, listen=True):
        flags = (Gio.DBusConnectionFlags.AUTHENTICATION_CLIENT
                 | Gio.DBusConnectionFlags.MESSAGE_BUS_CONNECTION)
        self.connection = Gio.DBusConnection.new_for_address_sync(address, flags, None, None)
        self.connection.set_exit_on_close(False)
        self.context = GLib.MainContext.default()
        self.signals = []
        self.on_signal = None
        if listen:
            self.connection.signal_subscribe(
                NAME, None, None, None, None, Gio.DBusSignalFlags.NONE, self._received)

    def _received(self, _connection, _sender, path, interface, member, arguments):
        entry = (time.monotonic(), path, interface.rpartition(".")[2], member, arguments.unpack())
        if self.on_signal:
            self.on_signal(entry)
        else:
            self.signals.append(entry)

    def call(self, where, member, arguments=None, timeout=5000):
        path, interface = where
        return self.connection.call_sync(
            NAME, path, interface, member, arguments, None, Gio.DBusCallFlags.NO_AUTO_START,
            timeout, None).unpack()

    def send(self, where, member, arguments=None):
        """A call whose answer nobody waits for."""
        path, interface = where
        self.connection.call(
            NAME, path, interface, member, arguments, None, Gio.DBusCallFlags.NO_AUTO_START, 5000,
            None, None)

    def verb(self, member, where=RECORDER):
        return self.call(where, member)[0]

    def begin(self, where=RECORDER, **options):
        return self.call(where, "Begin", GLib.Variant("(a{sv})", (variants(options),)))[0]

    def set(self, where, name, value):
        path, interface = where
        self.connection.call_sync(
            NAME, path, "org.freedesktop.DBus.Properties", "Set",
            GLib.Variant("(ssv)", (interface, name, variant(value))), None,
            Gio.DBusCallFlags.NO_AUTO_START, 5000, None)

    def get(self, where, name):
        path, interface = where
        return self.connection.call_sync(
            NAME, path, "org.freedesktop.DBus.Properties", "Get",
            GLib.Variant("(ss)", (interface, name)), None, Gio.DBusCallFlags.NO_AUTO_START, 5000,
            None).unpack()[0]

    def daemon_pid(self):
        """The process that owns the name, or None."""
        try:
            return self.connection.call_sync(
                "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus",
                "GetConnectionUnixProcessID", GLib.Variant("(s)", (NAME,)), None,
                Gio.DBusCallFlags.NONE, 5000, None).unpack()[0]
        except GLib.Error:
            return None

    def turn(self, seconds):
        """Reads signals for so long."""
        self.wait(lambda: False, seconds)

    def wait(self, condition, deadline):
        """Reads signals until `condition` is true; its last answer."""
        end = time.monotonic() + deadline
        waker = GLib.timeout_add(20, lambda: True)
        try:
            while True:
                answer = condition()
                if answer or time.monotonic() > end:
                    return answer
                self.context.iteration(True)
        finally:
            GLib.source_remove(waker)

    def wait_signal(self, members, take=None, deadline=10):
        """The first kept or coming signal of one of these names (of this take)."""
        seen = 0

        def found():
            nonlocal seen
            while seen < len(self.signals):
                entry = self.signals[seen]
                seen += 1
                if entry[3] in members and (take is None or entry[4][0] == take):
                    return entry
            return None
        entry = self.wait(found, deadline)
        if entry is None:
            raise Failed(f"No signal {' or '.join(members)} within {deadline} s.")
        return entry

    def close(self):
        try:
            self.connection.close_sync(None)
        except GLib.Error:
            pass


def variant(value):
    if isinstance(value, bool):
        return GLib.Variant("b", value)
    if isinstance(value, int):
        return GLib.Variant("u", value)
    if isinstance(value, float):
        return GLib.Variant("d", value)
    if isinstance(value, (list, tuple)):
        return GLib.Variant("as", list(value))
    return GLib.Variant("s", value)


def variants(options):
    """Keyword arguments as option keys: `auto_stop` is "auto-stop"."""
    return {key.replace("_", "-"): variant(value) for key, value in options.items()}
