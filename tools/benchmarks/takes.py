"""From Release to Finished, and memory while a take is long."""

import time

from rig import processes
from rig.client import MANAGER, Client
from rig.desktop import NAME, Desktop
from rig.processes import Failed
from .metering import _options, ours
from .report import spread

FORMATS = ("wav16k", "wav", "flac", "m4a", "opus", "opus16k")


def finish(report, options):
    lengths = (1, 60, 300) if options.long else (1, 60)
    report.block("Release to Finished",
                 "private recorders, one a format, all on one speech source; released one after "
                 "another, each in a quiet moment, from the call of Release to Finished at its owner"
                 "; 1 s: median of 5")
    head, rows = ["seconds of sound"] + list(FORMATS), []
    with Desktop(options.bin) as desktop:
        desktop.start_bus()
        daemon = desktop.start_daemon()
        desktop.wait_for_daemon()
        # Four private recorders a client.
        clients = [Client(desktop.address), Client(desktop.address)]
        owners = {}
        for index, name in enumerate(FORMATS):
            client = clients[index // 3]
            path = client.call(
                MANAGER, "CreateRecorder",
                _options(Source="speech", Format=name, MaximumDuration=9000.0))[0]
            owners[name] = (client, (path, NAME + ".Recorder"))
        for length in lengths:
            repeated = [_round(owners, length) for _ in range(5 if length == 1 else 1)]
            rows.append([length] + [
                f"{sorted(one[name] for one in repeated)[len(repeated) // 2] * 1000:.0f} ms"
                for name in FORMATS])
        report.table(head, rows)


def _round(owners, length):
    takes = {}
    for name, (client, recorder) in owners.items():
        takes[name] = client.begin(recorder, hold=True)
    began, answers = time.monotonic(), {}
    for index, (name, (client, recorder)) in enumerate(owners.items()):
        client.turn(max(0.05, began + length + 0.3 * index - time.monotonic()))
        client.signals.clear()
        asked = time.monotonic()
        client.send(recorder, "Release")
        ended = client.wait_signal(("Finished", "Discarded"), take=takes[name], deadline=60)
        if ended[3] != "Finished":
            raise Failed(f"Take {takes[name]} ({name}) ended as {ended[4][1]}.")
        answers[name] = ended[0] - asked
    return answers


def memory(report, options):
    moments = (10, 60, 600, 3600, 7200) if options.long else (10, 60)
    with Desktop(options.bin) as desktop:
        desktop.start_bus()
        daemon = desktop.start_daemon()
        desktop.wait_for_daemon()
        client = Client(desktop.address)
        began = time.monotonic()
        client.begin(source="speech", format="m4a", maximum=float(moments[-1] + 60))
        seen = []
        for moment in moments:
            client.turn(began + moment - time.monotonic())
            client.signals.clear()
            seen.append({name: processes.memory(pid)[0] for name, pid in ours(daemon).items()})
        asked = time.monotonic()
        take = client.verb("Send")
        ended = client.wait_signal(("Finished", "Discarded"), take=take, deadline=60)
        report.block("Memory of a long take",
                     f"one m4a take of {moments[-1]} s of speech; RSS in KiB after so many seconds "
                     "(--long: two hours)")
        report.table(("process", *(f"{moment} s" for moment in moments)), [
            (name, *(one.get(name, 0) for one in seen)) for name in seen[0]])
        report.row("its duration by the file", f"{ended[4][2]:.2f} s" if ended[3] == "Finished"
                   else ended[4][1])
        report.row("Send to Finished", spread([ended[0] - asked]))
