# SPDX-License-Identifier: Apache-2.0
"""Ways to cut the connections between a launch and its nodes."""
import contextlib
import os
import signal
import subprocess

from e2e import processes


def cut(name):
    """Takes a host's network link down."""
    subprocess.run(["ip", "-n", name, "link", "set", "eth0", "down"], check=True)


def mend(name):
    subprocess.run(["ip", "-n", name, "link", "set", "eth0", "up"], check=True)


def pids_on(name):
    """The pids of all processes of a host."""
    found = subprocess.run(["ip", "netns", "pids", name], check=True, stdout=subprocess.PIPE, text=True)
    return [int(pid) for pid in found.stdout.split()]


def signal_all(name, number):
    """Sends a signal to all processes of a host."""
    for pid in pids_on(name):
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, number)


def set_buffers(name, value, where=()):
    """Sets a limit of TCP's buffers in a network namespace; returns what it was."""
    path = f"/proc/sys/net/ipv4/{name}"
    before = subprocess.run([*where, "cat", path], check=True, stdout=subprocess.PIPE, text=True).stdout.strip()
    subprocess.run([*where, "sh", "-c", f"echo {value} >{path}"], check=True)
    return before


@contextlib.contextmanager
def small_buffers(host):
    """While it lasts, new connections from here to a host hold some 100 KiB that were sent and not received."""
    there = ("ip", "netns", "exec", host)
    small = "4096 16384 65536"
    with contextlib.ExitStack() as at_the_end:
        for name, where in (("tcp_wmem", ()), ("tcp_rmem", there)):
            at_the_end.callback(set_buffers, name, set_buffers(name, small, where), where)
        yield


def sessions():
    """The pids of sshd's session processes."""
    return [pid for pid, words in processes(sshd=True).items() if words.startswith("sshd:") and "listener" not in words]


def end_sessions(pids=None):
    """Kills these sessions, or all, so that the other side gets no message."""
    for pid in sessions() if pids is None else pids:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def end_sruns():
    """Kills all sruns, so that Slurm gets no message. Each has a child that would end its job step: it is killed first."""
    sruns = [pid for pid, words in processes().items() if os.path.basename(words.split()[0]) == "srun"]
    end_sessions([child for pid in sruns for child in children_of(pid)])
    end_sessions(sruns)


def children_of(parent):
    """The pids of the children of a process."""
    found = []
    for pid in map(int, filter(str.isdigit, os.listdir("/proc"))):
        with contextlib.suppress(OSError), open(f"/proc/{pid}/stat", encoding="utf-8") as file:
            if int(file.read().rpartition(")")[2].split()[1]) == parent:
                found.append(pid)
    return found
