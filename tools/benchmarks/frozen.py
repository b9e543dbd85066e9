"""What a subscriber that stops reading costs the bus."""

import signal
import time

from rig import broker, processes
from rig.client import MANAGER, Client
from rig.desktop import Desktop
from rig.processes import Failed
from .metering import _options

SECONDS = 30


def subscriber(report, options):
    report.block("A subscriber that stops reading",
                 f"gdbus monitor follows the recorder's signals and it is stopped (SIGSTOP) while a take of "
                 f"speech runs for {SECONDS} s; RSS of the bus and the daemon before and after. Then "
                 "the owner of a lease is stopped instead")
    rows = []
    for kind in ("dbus-daemon", "dbus-broker"):
        try:
            with broker.desktop(options.bin, kind) as desktop:
                rows.append((kind, *_broadcast(desktop)))
        except Failed as failure:
            report.row(kind, f"not measured: {failure}")
            continue
        with broker.desktop(options.bin, kind) as desktop:
            rows.append((kind + ", a lease", *_lease(desktop)))
    report.table(("bus", "signals", "bus grew KiB", "bytes a signal", "MB an hour", "daemon grew KiB",
                  "new clients"), rows)


def _measure(desktop, daemon, client, frozen):
    bus = desktop.bus_pid
    before = processes.memory(bus)[0], processes.memory(daemon.pid)[0]
    client.signals.clear()
    frozen.send_signal(signal.SIGSTOP)
    began = time.monotonic()
    client.turn(SECONDS)
    span = time.monotonic() - began
    after = processes.memory(bus)[0], processes.memory(daemon.pid)[0]
    told = len(client.signals)
    grown = after[0] - before[0]
    # Another client must still be served.
    fresh = Client(desktop.address, listen=False)
    served = "served" if fresh.daemon_pid() else "refused"
    fresh.close()
    frozen.send_signal(signal.SIGCONT)
    processes.end(frozen)
    per_signal = f"{grown * 1024 / told:.0f}" if told else "-"
    return (told, grown, per_signal, f"{grown / 1024 * 3600 / span:.1f}", after[1] - before[1], served)


def _ready(desktop):
    daemon = desktop.start_daemon()
    desktop.wait_for_daemon()
    return daemon, Client(desktop.address)


def _broadcast(desktop):
    daemon, client = _ready(desktop)
    # A subscription of a stranger, as a panel has it.
    frozen = processes.start(
        ["gdbus", "monitor", "--session", "--dest", "org.voiced.Voiced1"], desktop.env,
        desktop.log("frozen"))
    client.begin(source="speech", maximum=600.0)
    client.wait_signal(("Level",))
    client.turn(3)
    return _measure(desktop, daemon, client, frozen)


def _lease(desktop):
    daemon, client = _ready(desktop)
    frozen = processes.start(
        [desktop.bin + "/vctl", "monitor", "speech", "--json"], desktop.env, desktop.log("frozen"))
    client.call(MANAGER, "OpenMonitor", _options(source="speech"))
    client.wait_signal(("Level",))
    client.turn(3)
    return _measure(desktop, daemon, client, frozen)
