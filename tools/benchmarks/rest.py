"""At rest, and how fast the daemon is there."""

import os
import signal
import statistics
import time

from rig import processes
from rig.client import Client
from rig.desktop import NAME, Desktop
from rig.processes import Failed
from .report import spread

SECONDS = 30


def idle(report, options):
    with Desktop(options.bin) as desktop:
        desktop.start_bus()
        daemon = desktop.start_daemon()
        desktop.wait_for_daemon()
        # It looks through its plugins once; children end before rest begins.
        processes.wait_until(10, lambda: not processes.children(daemon.pid))
        time.sleep(3)
        before = sum(processes.switches(daemon.pid)), processes.processor_time(daemon.pid)
        time.sleep(SECONDS)
        after = sum(processes.switches(daemon.pid)), processes.processor_time(daemon.pid)
        resident, own = processes.memory(daemon.pid)
        report.block(
            "At rest", f"voiced alone on a bus, {SECONDS} s; /proc/PID/task/*/status and schedstat, "
            "smaps_rollup, fd")
        report.row("context switches of all its threads", after[0] - before[0])
        report.row("time on a processor", f"{(after[1] - before[1]) * 1000:.3f} ms")
        report.row("memory, resident / proportional", f"{resident} / {own} KiB")
        report.row("threads / descriptors / children",
                   f"{processes.threads(daemon.pid)} / {len(processes.descriptors(daemon.pid))} / "
                   f"{len(processes.children(daemon.pid))}")


def start(report, options):
    with Desktop(options.bin) as desktop:
        desktop.start_bus()
        client = Client(desktop.address, listen=False)
        owned = []
        client.connection.signal_subscribe(
            "org.freedesktop.DBus", "org.freedesktop.DBus", "NameOwnerChanged", None, NAME, 0,
            lambda *call: owned.append(time.monotonic()) if call[5].unpack()[2] else None)
        taken, floor = [], []
        for _ in range(21):
            began = time.monotonic()
            pid = os.posix_spawn("/bin/true", ["true"], desktop.env)
            os.waitpid(pid, 0)
            floor.append(time.monotonic() - began)
            owned.clear()
            began = time.monotonic()
            pid = os.posix_spawn(desktop.bin + "/voiced", ["voiced"], desktop.env)
            try:
                if not client.wait(lambda: owned, 10):
                    raise Failed("voiced did not take its name within 10 s.")
                taken.append(owned[0] - began)
            finally:
                os.kill(pid, signal.SIGTERM)
                os.waitpid(pid, 0)
        report.block("Start", "21 times: posix_spawn of voiced until NameOwnerChanged arrives at a "
                     "waiting client; beside it /bin/true, spawned and waited for, in turn")
        report.row("voiced, until its name is owned", spread(taken))
        report.row("/bin/true, until it has ended", spread(floor))
        report.row("ratio of the medians",
                   f"{statistics.median(taken) / statistics.median(floor):.1f}")
