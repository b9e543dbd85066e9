"""Processes that end with the tool that started them, and what /proc tells of any process."""

import ctypes
import os
import signal
import subprocess
import time

_libc = ctypes.CDLL(None, use_errno=True)
_PR_SET_PDEATHSIG = 1


class Failed(Exception):
    """Something that the tool needs did not work; the text is a sentence for the user."""


def _own_group():
    """In the child: a session of its own, so that Ctrl-C reaches the tool alone, and an end with it."""
    os.setsid()
    _libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    signal.pthread_sigmask(signal.SIG_SETMASK, [])


def start(words, env, log=None, **more):
    """Starts a program; its output goes to the file `log`, or nowhere."""
    sink = open(log, "ab") if log else subprocess.DEVNULL
    try:
        return subprocess.Popen(
            words, env=env, stdin=subprocess.DEVNULL, stderr=sink, preexec_fn=_own_group,
            stdout=more.pop("stdout", sink), **more)
    except FileNotFoundError:
        raise Failed(f"{words[0]} is not installed; \"make deps\" installs what is missing.")
    finally:
        if log:
            sink.close()


def end(process, number=signal.SIGTERM, patience=6.0):
    """Ends a process that `start` started, and waits for it; True when it ended by itself."""
    if process is None or process.poll() is not None:
        return True
    process.send_signal(signal.SIGCONT)
    process.send_signal(number)
    try:
        process.wait(patience)
        return True
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
        return False


def wait_until(deadline, condition, pause=0.01):
    """The first true answer of `condition` within `deadline` seconds, else its last answer."""
    end_time = time.monotonic() + deadline
    while True:
        answer = condition()
        if answer or time.monotonic() > end_time:
            return answer
        time.sleep(pause)


def _read(path):
    try:
        with open(path, "rb") as file:
            return file.read().decode(errors="replace")
    except OSError:
        return ""


def _tasks(pid):
    try:
        return os.listdir(f"/proc/{pid}/task")
    except OSError:
        return []


def _figure(name, text):
    for line in text.splitlines():
        if line.startswith(name + ":"):
            return int(line.split()[1])
    return 0


def switches(pid):
    """Context switches so far, of all threads: (given up, taken away)."""
    texts = [_read(f"/proc/{pid}/task/{task}/status") for task in _tasks(pid)]
    return (sum(_figure("voluntary_ctxt_switches", text) for text in texts),
            sum(_figure("nonvoluntary_ctxt_switches", text) for text in texts))


def processor_time(pid):
    """Seconds on a processor so far, of all living threads, to the nanosecond."""
    total = 0
    for task in _tasks(pid):
        fields = _read(f"/proc/{pid}/task/{task}/schedstat").split()
        total += int(fields[0]) if fields else 0
    return total / 1e9


def memory(pid):
    """Resident and proportional memory in KiB."""
    text = _read(f"/proc/{pid}/smaps_rollup")
    return _figure("Rss", text), _figure("Pss", text)


def threads(pid):
    return len(_tasks(pid))


def descriptors(pid):
    """What each open descriptor is."""
    found = {}
    try:
        for entry in os.listdir(f"/proc/{pid}/fd"):
            try:
                found[int(entry)] = os.readlink(f"/proc/{pid}/fd/{entry}")
            except OSError:
                pass
    except OSError:
        pass
    return found


def _stat(pid):
    return _read(f"/proc/{pid}/stat").rpartition(")")[2].split()


def is_alive(pid):
    fields = _stat(pid)
    return bool(fields) and fields[0] not in "ZX"


def children(pid):
    """Living children of a process as (pid, command words)."""
    found = []
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            fields = _stat(entry)
            if len(fields) > 1 and fields[1] == str(pid) and fields[0] not in "ZX":
                found.append((int(entry), _read(f"/proc/{entry}/cmdline").split("\0")[:-1]))
    return found


def program(words):
    return os.path.basename(words[0]) if words else ""


def started_with(fragment):
    """Living processes whose environment holds `fragment`, other than this one."""
    found = []
    for entry in os.listdir("/proc"):
        if entry.isdigit() and int(entry) != os.getpid() and is_alive(entry):
            if fragment in _read(f"/proc/{entry}/environ"):
                found.append((int(entry), _read(f"/proc/{entry}/cmdline").replace("\0", " ")))
    return found
