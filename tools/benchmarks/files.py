"""Any file to a waveform, beside FFmpeg's bare decode of it."""

import os
import subprocess

from rig import audio
from rig.desktop import Desktop
from rig.processes import Failed

SECONDS = 600
KINDS = {
    "wav": ["-ar", "48000", "-ac", "2", "-c:a", "pcm_s16le"],
    "flac": ["-ar", "48000", "-ac", "2", "-c:a", "flac"],
    "mp3": ["-ar", "44100", "-ac", "2", "-c:a", "libmp3lame", "-b:a", "128k"],
    "opus": ["-ar", "48000", "-ac", "1", "-c:a", "libopus", "-b:a", "24k"],
    "m4a": ["-ar", "24000", "-ac", "1", "-c:a", "aac", "-b:a", "32k"],
}


def _processor(words, env):
    """Seconds on a processor of a program and its children."""
    with open(os.devnull, "wb") as nothing:
        child = subprocess.Popen(words, env=env, stdin=subprocess.DEVNULL, stdout=nothing)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        raise Failed(f"{' '.join(words)} failed with status {child.returncode}.")
    return usage.ru_utime + usage.ru_stime


def waveform(report, options):
    report.block("A file of ten minutes to a waveform",
                 "processor time (user + system) of `vctl waveform FILE` and of `ffmpeg -threads 1 "
                 "-i FILE -f null -`, in turn, the least of 3 each")
    rows = []
    with Desktop(options.bin) as desktop:
        voice = audio.speech(desktop, SECONDS)
        for kind, encoder in KINDS.items():
            path = f"{desktop.folder}/ten.{'ogg' if kind == 'opus' else kind}"
            subprocess.run(["ffmpeg", "-v", "error", "-y", "-i", voice, *encoder, path], check=True)
            mine, theirs = [], []
            for _ in range(3):
                mine.append(_processor([desktop.bin + "/vctl", "waveform", path], desktop.env))
                theirs.append(_processor(
                    ["ffmpeg", "-v", "error", "-threads", "1", "-i", path, "-f", "null", "-"],
                    desktop.env))
            rows.append((kind, f"{min(mine):.2f} s", f"{SECONDS / min(mine):.0f}",
                         f"{SECONDS / min(theirs):.0f}", f"{min(mine) / min(theirs):.2f}"))
            os.unlink(path)
    report.table(("file", "vctl", "vctl, x real time", "ffmpeg, x real time", "time / ffmpeg's"), rows)
