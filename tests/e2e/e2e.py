# SPDX-License-Identifier: Apache-2.0
"""Shared code of the tests of the built programs. They run inside with_hosts; ADARUN_TEST_BIN names build/.../bin."""
import contextlib
import glob
import json
import os
import select
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

DEADLINE_S = 100
# Of a rank of a job with one folder: a failure before all have started would leave ranks that never do.
ALL_STARTED = ': >"ran$RANK"; until set -- ran*; test $# = "$RANK_SIZE"; do sleep 0.01; done'
DAEMONS = []
for number in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT):  # Ignored in background jobs; adarun would inherit that.
    if signal.getsignal(number) == signal.SIG_IGN:
        signal.signal(number, signal.SIG_DFL)


class InFolder(unittest.TestCase):
    """A test in a folder of its own."""

    maxDiff = None

    def setUp(self):
        self.folder = tempfile.mkdtemp(dir=os.environ["ADARUN_TEST_SCRATCH"])
        self.addCleanup(shutil.rmtree, self.folder)
        os.chdir(self.folder)
        self.addCleanup(os.chdir, "/")


class Case(InFolder):
    """A test that fails if it leaves a process, shared memory or a temporary file behind."""

    def setUp(self):
        super().setUp()
        self.addCleanup(self.assert_nothing_left)

    def assert_nothing_left(self):
        left = survivors(deadline_s=20)
        for pid in processes():  # So that the next test does not find them.
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self.assertEqual(left, [], "processes left behind")
        self.assertEqual(os.listdir("/dev/shm"), [], "shared memory left behind")
        self.assertEqual(os.listdir(os.environ["TMPDIR"]), [], "temporary files left behind")
        for job in glob.glob(os.path.join(self.folder, "**", "job.json"), recursive=True):
            with open(job, encoding="utf-8") as file:
                found = json.load(file).get("id", "no job of ours")
            self.assertEqual(glob.glob(f"/tmp/*{found}*"), [], "an agent's folder left behind")

    def log_of(self, rank, folder="log_output"):
        with open(os.path.join(self.folder, folder, f"worker_{rank}.log"), encoding="utf-8") as file:
            return file.read()


def adarun_command(*arguments):
    return [os.path.join(os.environ["ADARUN_TEST_BIN"], "adarun"), *map(str, arguments)]


def adarun(*arguments, env=None):
    """Runs adarun to its end; captures stdout and stderr as text."""
    return subprocess.run(adarun_command(*arguments), stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          timeout=DEADLINE_S, env={**os.environ, **(env or {})}, check=False)


def launch(*arguments, hosts=None, env=None):
    """Runs adarun launch on the test hosts."""
    return adarun("launch", "--hosts", hosts or os.environ["ADARUN_TEST_HOSTFILE"], *arguments, env=env)


def hosts(slots, *names):
    """A host list such as node1:4,node2:4."""
    return ",".join(f"{name}:{slots}" for name in names or os.environ["ADARUN_TEST_HOSTS"].split(","))


@contextlib.contextmanager
def own_sshd(case, *options, mounts="true"):
    """Runs an sshd on the launcher's host, with the host key of node1; `options` are lines of its sshd_config.

    It has its own mount namespace, in which the shell command `mounts` is run before it starts. Yields an ssh
    configuration with the key of this sshd, as "launcher" and by its addresses, and those of the test hosts.
    """
    scratch = os.environ["ADARUN_TEST_SCRATCH"]
    server, client, known = (os.path.join(case.folder, name) for name in ("sshd_config", "ssh_config", "known_hosts"))
    replaced = {"ListenAddress", "PidFile", *(option.split()[0] for option in options)}
    kept = [line for line in lines_of(f"{scratch}/node1.conf") if line.split()[0] not in replaced]
    write_lines(server, [*options, "PidFile none", *kept])
    key = " ".join(lines_of(f"{scratch}/node1.key.pub")[0].split()[:2])
    write_lines(known, [f"launcher,10.77.0.1,127.0.0.* {key}", *lines_of(os.environ["ADARUN_TEST_KNOWN_HOSTS"])])
    write_lines(client, ["Host *", f"IdentityFile {os.environ['ADARUN_TEST_IDENTITY']}", f"UserKnownHostsFile {known}"])
    command = ["unshare", "--mount", "sh", "-c", f"{mounts} && exec /usr/sbin/sshd -D -e -f {server}"]
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as sshd:
        try:
            first = sshd.stderr.readline()
            assert "Server listening" in first, first
            yield client
        finally:
            sshd.terminate()


@contextlib.contextmanager
def node_sshd(case, node, name, *options):
    """Runs another sshd on a test host, with the host's key; `options` are lines of its sshd_config. Yields its log file."""
    server, log = (os.path.join(case.folder, f"{name}.{ending}") for ending in ("conf", "log"))
    replaced = {"PidFile", *(option.split()[0] for option in options)}
    kept = [line for line in lines_of(f"{os.environ['ADARUN_TEST_SCRATCH']}/{node}.conf")
            if line.split()[0] not in replaced]
    write_lines(server, [*options, "PidFile none", *kept])
    command = ["nsenter", f"--net=/run/netns/{node}", "/usr/sbin/sshd", "-D", "-f", server, "-E", log]
    with subprocess.Popen(command, stdin=subprocess.DEVNULL) as sshd:
        try:
            end = time.monotonic() + DEADLINE_S
            while not (os.path.exists(log) and "Server listening" in "".join(lines_of(log))):
                case.assertIsNone(sshd.poll(), "sshd does not come up")
                case.assertLess(time.monotonic(), end, "sshd does not come up")
                time.sleep(0.005)
            yield log
        finally:
            sshd.terminate()


def enter_host():
    """The value of --via that enters the namespaces of a test host (network, mounts, host name), without its sshd."""
    script = os.path.join(os.environ["ADARUN_TEST_SCRATCH"], "enter")
    if not os.path.exists(script):
        write_lines(script, ["#!/bin/sh", "# enter HOST PROGRAM [ARGUMENT...]",
                             f"pid=$(cat {os.environ['ADARUN_TEST_SCRATCH']}/$1.pid)", "shift",
                             "exec nsenter --target $pid --net --uts --mount -- \"$@\""])
        os.chmod(script, 0o755)
    return f"exec:{script} {{host}}"


@contextlib.contextmanager
def renamed(host, name):
    """Gives a test host another host name for a while."""
    pid = lines_of(f"{os.environ['ADARUN_TEST_SCRATCH']}/{host}.pid")[0]
    rename = ["nsenter", f"--uts=/proc/{pid}/ns/uts", "hostname"]
    subprocess.run([*rename, name], check=True)
    try:
        yield
    finally:
        subprocess.run([*rename, host], check=True)


def lines_of(path):
    with open(path, encoding="utf-8") as file:
        return file.read().splitlines()


def write_lines(path, lines):
    with open(path, "w", encoding="utf-8") as file:
        file.writelines(f"{line}\n" for line in lines)


def stat_of(process):
    """The fields of /proc/PROCESS/stat after the name. A thread is "PID/task/THREAD"."""
    with open(f"/proc/{process}/stat", encoding="utf-8") as file:
        return file.read().rpartition(")")[2].split()


def state_of(process):
    return stat_of(process)[0]


def parent_of(process):
    return int(stat_of(process)[1])


def ours():
    """Process ids that no test started: this process, its ancestors, and the daemons that ran before."""
    pids = set(DAEMONS)
    pid = os.getpid()
    while pid > 0:
        pids.add(pid)
        pid = parent_of(pid)
    return pids


def daemons():
    """Process ids of Slurm's daemons, if the tests run under with_slurm."""
    return [pid for pid, text in processes().items() if os.path.basename(text.split()[0]) in ("munged", "slurmctld", "slurmd")
            or text.startswith(": slurmscriptd")]


def survivors(deadline_s):
    """Command lines of all other processes on all hosts that still run at the deadline.

    with_hosts makes a process namespace, so all of these were started by tests.
    """
    end = time.monotonic() + deadline_s
    while True:
        alive = processes()
        if not alive or time.monotonic() >= end:
            return sorted(alive.values())
        await_end(next(iter(alive)), end)


def processes(sshd=False):
    """Process id -> command line, without ours() and zombies.

    sshd keeps a session until TCP gives up a cut connection, so its processes are included only with `sshd`.
    """
    found = {}
    mine = ours()
    for pid in map(int, filter(str.isdigit, os.listdir("/proc"))):
        try:
            with open(f"/proc/{pid}/cmdline", encoding="utf-8", errors="replace") as file:
                text = file.read().replace("\0", " ").strip()
        except OSError:
            continue
        if text and pid not in mine and (sshd or not text.startswith("sshd:")):
            found[pid] = text
    return found


def await_full(pipe):
    """Returns when a pipe that nobody reads takes in nothing more."""
    end = time.monotonic() + DEADLINE_S
    writer = os.open(f"/proc/self/fd/{pipe.fileno()}", os.O_WRONLY | os.O_NONBLOCK)
    try:
        while select.select([], [writer], [], 0)[1]:
            if time.monotonic() > end:
                raise AssertionError("the pipe is not full")
            time.sleep(0.01)
    finally:
        os.close(writer)


def await_end(pid, end):
    """Returns when the process has ended, or at `end`."""
    try:
        descriptor = os.pidfd_open(pid)
    except ProcessLookupError:
        return
    try:
        select.select([descriptor], [], [], max(0, end - time.monotonic()))
    finally:
        os.close(descriptor)


DAEMONS.extend(daemons())
