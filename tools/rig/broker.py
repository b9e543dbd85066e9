"""A desktop whose bus is dbus-daemon or dbus-broker."""

import os
import shutil
import socket

from . import processes
from .desktop import Desktop
from .processes import Failed

JOURNAL = "/run/systemd/journal/socket"


def desktop(bin_folder, kind):
    """A desktop with its bus running; `Failed` says why that kind cannot be had here."""
    made = Desktop(bin_folder)
    try:
        if kind == "dbus-daemon":
            made.start_bus()
            made.bus_pid = made.bus.pid
        else:
            _start_broker(made)
        return made
    except BaseException:
        made.close()
        raise


def _start_broker(made):
    if not shutil.which("dbus-broker-launch"):
        raise Failed("dbus-broker is not installed.")
    path = made.folder + "/run/bus"
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    listener.bind(path)
    listener.listen(64)
    launch = ("import os,sys\n"
              "os.dup2(int(sys.argv[1]), 3)\n"
              "os.set_inheritable(3, True)\n"
              "os.environ.update(LISTEN_FDS='1', LISTEN_PID=str(os.getpid()))\n"
              "os.execvp('dbus-broker-launch', ['dbus-broker-launch', '--scope', 'user'])\n")
    words = ["/usr/bin/python3", "-c", launch, str(listener.fileno())]
    if not os.path.isdir("/run/systemd/system"):
        # It insists on a journal: without systemd, a socket of that name in a mount namespace.
        words = ["unshare", "-m", "--propagation", "private", "/usr/bin/python3", "-c",
                 "import os,socket,subprocess\n"
                 "os.makedirs('/run/systemd', exist_ok=True)\n"
                 "subprocess.run(['mount', '-t', 'tmpfs', 'tmpfs', '/run/systemd'], check=True)\n"
                 "os.mkdir('/run/systemd/journal')\n"
                 "journal = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)\n"
                 f"journal.bind('{JOURNAL}')\n"
                 # Out of the way of descriptor 3, and open for as long as the launcher runs.
                 "import fcntl,sys\n"
                 "fcntl.fcntl(journal.fileno(), fcntl.F_DUPFD, 100)\n" + launch, str(listener.fileno())]
    made.bus = processes.start(words, made.env, made.log("bus"), pass_fds=[listener.fileno()])
    listener.close()

    def broker():
        return next((pid for pid, command in processes.children(made.bus.pid)
                     if processes.program(command) == "dbus-broker"), None)
    made.bus_pid = processes.wait_until(5, broker)
    if made.bus_pid is None:
        raise Failed(f"dbus-broker did not start: {made.log_tail('bus', 1)}")
