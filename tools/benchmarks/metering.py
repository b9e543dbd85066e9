"""Processor, wake-ups and memory of a running level or take; levels told; latency of a step."""

import os
import statistics
import subprocess
import time

from rig import audio, processes
from rig.client import MANAGER, RECORDER, Client, variants
from rig.desktop import Desktop
from rig.processes import Failed
from .report import spread

SECONDS = 20


def ours(daemon):
    """The daemon and its children by the names of their programs."""
    found = {"voiced": daemon.pid}
    for pid, words in processes.children(daemon.pid):
        found[processes.program(words)] = pid
    return found


def sample(pids):
    return {name: (processes.processor_time(pid), sum(processes.switches(pid)))
            for name, pid in pids.items()}


def cost(report, client, daemon, seconds=SECONDS):
    """Measures our processes for a while and prints a table."""
    pids = ours(daemon)
    before, began = sample(pids), time.monotonic()
    client.signals.clear()
    client.turn(seconds)
    after, span = sample(pids), time.monotonic() - began
    rows, processor, wakes, memory = [], 0, 0, 0
    for name, pid in pids.items():
        busy = (after[name][0] - before[name][0]) / span
        woken = (after[name][1] - before[name][1]) / span
        resident, own = processes.memory(pid)
        rows.append((name, f"{busy * 100:.2f} %", f"{woken:.0f}", resident, own,
                     processes.threads(pid)))
        processor, wakes, memory = processor + busy, wakes + woken, memory + own
    rows.append(("together", f"{processor * 100:.2f} %", f"{wakes:.0f}", "", memory, ""))
    report.table(("process", "of a core", "switches/s", "RSS KiB", "PSS KiB", "threads"), rows)
    levels = [entry for entry in client.signals if entry[3] == "Level"]
    report.row("Level signals a second", f"{len(levels) / span:.1f}")


HOW = (f"{SECONDS} s; schedstat, context switches of all threads (a wake-up is one; on a busy "
       "machine preemption adds some) and smaps_rollup of each of our processes; the bus and the "
       "client are not ours")


def speech(report, options):
    with Desktop(options.bin) as desktop:
        desktop.start_bus()
        daemon = desktop.start_daemon()
        desktop.wait_for_daemon()
        client = Client(desktop.address)
        report.block("The speech source, leased by one subscriber", HOW)
        lease = client.call(
            MANAGER, "OpenMonitor", _options(source="speech", application="bench"))[0]
        client.wait_signal(("Level",))
        cost(report, client, daemon)
        client.call((lease, "org.voiced.Voiced1.Monitor"), "Close")
        client.wait(lambda: not processes.children(daemon.pid), 5)
        for name in ("wav16k", "m4a"):
            report.block(f"The speech source in a take ({name}) with one subscriber", HOW)
            client.signals.clear()
            client.begin(source="speech", format=name, maximum=600.0)
            client.wait_signal(("Level",))
            # What starting costs is not what running costs.
            client.turn(1)
            cost(report, client, daemon)
            client.verb("Cancel")
            client.wait(lambda: not processes.children(daemon.pid), 5)


def microphone(report, options):
    with Desktop(options.bin) as desktop:
        desktop.start_bus()
        sound = audio.Audio(desktop)
        try:
            sound.start()
            sound.plug("vmic", audio.speech(desktop, 120))
            daemon = desktop.start_daemon()
            desktop.wait_for_daemon()
            client = Client(desktop.address)
            report.block("The microphone in a take (m4a) with one subscriber",
                         HOW + "; a virtual microphone with a quantum of 1024 frames, 47 a second")
            client.begin(source="microphone", maximum=600.0)
            client.wait_signal(("Level",))
            client.turn(1)
            cost(report, client, daemon)
            client.verb("Cancel")
        finally:
            sound.close()


def step(report, options):
    """From the push of a quantum that is loud after silence to the Level signal at a client."""
    source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "step.c")
    header = os.path.join(os.path.dirname(source), "../../Sources/CVoiced/include")
    with Desktop(options.bin) as desktop:
        plugins = desktop.folder + "/plugins"
        os.mkdir(plugins, 0o700)
        subprocess.run(
            ["gcc", "-O2", "-Wall", "-shared", "-fPIC", "-pthread", "-I", header, source, "-o",
             plugins + "/libvoiced-step.so", "-lm"], check=True)
        desktop.env["VOICED_PLUGIN_PATH"] = plugins
        desktop.start_bus()
        desktop.start_daemon()
        desktop.wait_for_daemon()
        client = Client(desktop.address)
        times = desktop.folder + "/times"
        client.wait(lambda: any(entry["id"] == "step" for entry in client.get(MANAGER, "Sources")), 5)
        client.begin(source="step", target=times, maximum=600.0)
        client.turn(25)
        client.verb("Cancel")
        with open(times) as file:
            steps = [int(line) / 1e9 for line in file.read().split()]
        levels = [(entry[0], entry[4][0]) for entry in client.signals
                  if entry[3] == "Level" and entry[1] == RECORDER[0]]
        delays = []
        for began in steps[1:-1]:
            delay = next((time_ - began for time_, level in levels
                          if began <= time_ < began + 0.5 and level > 0.1), None)
            if delay is not None:
                delays.append(delay)
        if len(delays) < 10:
            raise Failed(f"Only {len(delays)} of {len(steps)} steps were told as a level.")
        report.block(
            "Step to signal", "a plugin pushes 10 ms quanta at ends of their sound, 0.3 s loud after "
            "silences of 0.6 to 1.2 s; from the push of the first loud one to the Level at a client")
        report.row("push to Level at the client", spread(delays, digits=2))
        report.row("95th percentile", f"{statistics.quantiles(delays, n=20)[-1] * 1000:.2f} ms")


def _options(**options):
    from gi.repository import GLib
    return GLib.Variant("(a{sv})", (variants(options),))
