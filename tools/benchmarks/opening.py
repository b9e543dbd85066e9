"""From Press to the first real sound of the microphone, and what its parts are."""

import os
import re
import statistics
import time

from rig import audio, processes
from rig.client import RECORDER, Client
from rig.desktop import Desktop
from rig.processes import Failed
from .report import spread

TIMES = 20


def press(client):
    """One held take; seconds from the call of Press to its answer, to the link, to `started`."""
    client.signals.clear()
    began, began_real = time.monotonic(), time.time()
    take = client.verb("Press")
    answered = time.monotonic() - began

    def heard():
        return next((entry for entry in client.signals
                     if entry[3] == "Notice" and entry[4][0] == "started"), None)
    started = client.wait(heard, 5)
    if started is None:
        raise Failed("No sound came from the microphone within 5 s of Press.")
    linked = next((entry[0] for entry in client.signals if entry[3] == "PropertiesChanged"
                   and entry[4][1].get("LinkedTarget")), None)
    client.verb("Cancel")
    return take, answered, linked and linked - began, started[0] - began, began_real


def first_sound(report, options):
    with Desktop(options.bin) as desktop:
        desktop.start_bus()
        sound = audio.Audio(desktop)
        try:
            sound.start()
            sound.plug("vmic", audio.speech(desktop, 300))
            plain(report, desktop)
            traced(report, desktop)
        finally:
            sound.close()


def rounds(desktop, daemon_pid):
    client = Client(desktop.address)
    client.set(RECORDER, "Source", "microphone")
    for _ in range(TIMES):
        client.wait(lambda: not processes.children(daemon_pid()), 5)
        yield press(client)
    client.close()


def plain(report, desktop):
    daemon = desktop.start_daemon()
    desktop.wait_for_daemon()
    found = list(rounds(desktop, lambda: daemon.pid))
    report.block("Press to the first real sound of the microphone",
                 f"{TIMES} times, the source's process started anew each time, virtual microphone, "
                 "quantum 1024 (21.3 ms); at a client, from the call of Press")
    report.row("answer of Press", spread([entry[1] for entry in found]))
    report.row("LinkedTarget is told", spread([entry[2] for entry in found if entry[2]]))
    report.row("notice \"started\": the first real buffer", spread([entry[3] for entry in found]))
    processes.end(daemon)


def traced(report, desktop):
    """The same under strace, which stops each process at four system calls alone."""
    log = desktop.folder + "/strace"
    tracer = processes.start(
        ["strace", "-f", "--seccomp-bpf", "-qq", "-ttt", "-s", "200", "-e",
         "trace=execve,openat,connect", "-o", log, desktop.bin + "/voiced"], desktop.env,
        desktop.log("strace"))
    desktop.daemon = tracer
    desktop.wait_for_daemon()
    daemon = processes.children(tracer.pid)[0][0]
    found = list(rounds(desktop, lambda: daemon))
    os.kill(daemon, 15)
    processes.end(tracer)
    with open(log, errors="replace") as file:
        text = file.read()
    parts = {"spawn": [], "load": [], "connect": [], "sound": []}
    events = [(float(time_), line) for time_, line in re.findall(r"^\d+ +([\d.]+) (.*)$", text, re.M)]
    for _, _, _, started, began in found:
        def first(pattern, after):
            return next((at for at, line in events if at >= after and re.search(pattern, line)), None)
        spawned = first(r'execve\(".*voiced-source"', began)
        loaded = spawned and first(r"openat\(.*libvoiced-microphone\.so", spawned)
        connected = loaded and first(r"connect\(.*pipewire-0", loaded)
        if connected:
            parts["spawn"].append(spawned - began)
            parts["load"].append(loaded - spawned)
            parts["connect"].append(connected - loaded)
            parts["sound"].append(began + started - connected)
    if not parts["sound"]:
        report.row("its parts", "strace may not trace here")
        return
    report.block("Its parts", "the same under strace --seccomp-bpf (execve, openat and connect "
                 "alone), which adds its own share to each")
    report.row("Press to the source's execve", spread(parts["spawn"]))
    report.row("execve to the plugin being opened", spread(parts["load"]))
    report.row("plugin opened to connect(pipewire-0)", spread(parts["connect"]))
    report.row("connected to the first real buffer", spread(parts["sound"]))
    report.row("sum of the medians",
               f"{sum(statistics.median(part) for part in parts.values()) * 1000:.1f} ms")
