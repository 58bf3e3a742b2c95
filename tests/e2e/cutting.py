# SPDX-License-Identifier: Apache-2.0
"""Ways to cut the connections between a launch and its nodes, over SSH or srun, and the base of tests that do so."""
import contextlib
import json
import os
import re
import signal
import socket
import subprocess
import sys

from e2e import DEADLINE_S, Case, hosts, parent_of, processes, read, read_bytes, start


def cut(name):
    """Takes a host's network link down."""
    subprocess.run(["ip", "-n", name, "link", "set", "eth0", "down"], check=True)


def mend(name):
    subprocess.run(["ip", "-n", name, "link", "set", "eth0", "up"], check=True)


def lose_packets(name, outgoing):
    """Packets between a host and its test are lost without a word: those that it sends, or those that are sent to it. Until
    end_loss()."""
    where, device, address = loss_place(name, outgoing)
    subprocess.run(["ip", *where, "neigh", "replace", address, "lladdr", "02:00:00:00:00:01", "dev", device, "nud", "permanent"],
                   check=True)


def end_loss(name, outgoing):
    where, device, address = loss_place(name, outgoing)
    subprocess.run(["ip", *where, "neigh", "del", address, "dev", device], check=True)


def loss_place(name, outgoing):
    """Where the neighbour of a connection is looked up: options of ip, the device, the neighbour's address."""
    if not outgoing:
        return [], "br0", socket.gethostbyname(name)
    shown = subprocess.run(["ip", "-j", "-4", "addr", "show", "dev", "br0"], check=True, stdout=subprocess.PIPE, text=True).stdout
    return ["-n", name], "eth0", json.loads(shown)[0]["addr_info"][0]["local"]


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
        with contextlib.suppress(OSError):
            if parent_of(pid) == parent:
                found.append(pid)
    return found


# Writes numbered lines at full speed to stdout, and the same to a file for comparison.
WRITER = """
import os, sys
rank, lines, folder = os.environ["RANK"], int(sys.argv[1]), sys.argv[2]
with open(f"{folder}/go", "rb", 0) as go:
    print("up", flush=True)
    go.readline()
with open(f"{folder}/wrote_{rank}", "w") as wrote:
    print("up", file=wrote)
    for number in range(lines):
        line = f"rank {rank} line {number} " + "x" * (number % 200)
        wrote.write(line + "\\n")
        sys.stdout.write(line + "\\n")
"""


class CutCase(Case):
    def make_go(self):
        """Makes the FIFO from which each rank waits for a line."""
        self.go = self.fifo()

    def let_go(self):
        self.go.write(b"\n" * 4)  # At least one for each rank.

    @contextlib.contextmanager
    def job(self, slots, script, *arguments, options=(), slurm=None):
        """A launch whose ranks have all printed "up", and that continue when let_go() is called; over SSH, or inside the Slurm
        job with the environment `slurm`."""
        self.make_go()
        nodes = ["--via", "slurm"] if slurm else ["--hosts", hosts(slots)]
        with open("stderr", "w+", encoding="utf-8") as words, \
                start("launch", *nodes, *options, "--", sys.executable, "-c", script, *arguments, stderr=words, env=slurm) as job:
            for _ in range(2 * slots):
                self.assertEqual(job.stdout.readline(), "up\n", self.words())
            yield job

    def words(self):
        return read("stderr")

    def await_words(self, job, pattern):
        """Returns when stderr matches; fails if the job ends before."""
        with subprocess.Popen(["tail", "-f", f"--pid={job.pid}", "-n", "+1", "stderr"], stdout=subprocess.PIPE,
                              text=True) as tail:
            found = any(re.search(pattern, line) for line in tail.stdout)
            tail.kill()
        self.assertTrue(found, self.words())

    def assert_logs_are_what_ranks_wrote(self, ranks):
        for rank in range(ranks):
            same = read_bytes(f"wrote_{rank}") == read_bytes(f"log_output/worker_{rank}.log")
            self.assertTrue(same, f"rank {rank}: log and what it wrote differ")

    @contextlib.contextmanager
    def nobody_waits_for(self, job):
        """Reads what the job prints, so that it is not held up."""
        with subprocess.Popen(["cat"], stdin=job.stdout, stdout=subprocess.DEVNULL):
            yield

    def assert_three_cuts_lose_nothing(self, job, cut_off):
        """Takes a job of four waiting WRITERs, and cuts it off while they write at full speed."""
        self.let_go()
        for _ in range(3):
            for _ in range(5000):
                job.stdout.readline()
            cut_off()
        self.finish(job)
        self.assertIn("cut off, reconnecting", self.words())
        self.assertIn("found again, nothing was lost", self.words())
        self.assert_logs_are_what_ranks_wrote(4)

    def finish(self, job):
        job.stdout.read()
        self.assertEqual(job.wait(DEADLINE_S), 0, self.words())
