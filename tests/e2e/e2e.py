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
            found = read_json(job).get("id", "no job of ours")
            self.assertEqual(glob.glob(f"/tmp/*{found}*"), [], "an agent's folder left behind")

    def log_of(self, rank, folder="log_output"):
        return read(os.path.join(self.folder, folder, f"worker_{rank}.log"))

    def logs(self, ranks):
        """The logs of so many ranks, the first ones."""
        return [self.log_of(rank) for rank in range(ranks)]

    def assert_refused(self, done, status, said):
        """adarun has ended with this status, and has written one line that begins with `said` and nothing else."""
        self.assertEqual((done.returncode, done.stdout), (status, ""), (done.args, done.stderr))
        self.assertTrue(done.stderr.startswith(f"adarun: {said}"), done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)

    def fifo(self, name="go"):
        """Makes a FIFO in the current folder; returns a file for writing to it, which waits for no reader."""
        os.mkfifo(name)
        writer = os.fdopen(os.open(name, os.O_RDWR), "wb", 0)
        self.addCleanup(writer.close)
        return writer

    def small_disk(self, size):
        """Mounts a file system of so many bytes at disk/."""
        os.mkdir("disk")
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "disk", "disk"], check=True)
        self.addCleanup(subprocess.run, ["umount", os.path.join(self.folder, "disk")], check=True)

    def add_to_path_of_nodes(self):
        """Shells on the nodes find programs in this folder; returns the PATH that does so here."""
        bashrc = os.path.join(os.environ["HOME"], ".bashrc")
        write_lines(bashrc, [f"PATH={self.folder}:$PATH"])
        self.addCleanup(os.remove, bashrc)
        return f"{self.folder}:{os.environ['PATH']}"


class Done(subprocess.CompletedProcess):
    """A command that has ended."""

    def expect(self, status, **printed):
        """Returns itself; fails if it has another exit status, or has printed something else to `stdout` or `stderr`."""
        found = {name: getattr(self, name) for name in printed}
        if (self.returncode, found) != (status, printed):
            raise AssertionError(f"status {self.returncode}, not {status}, or not {printed}: {self.args}\n{self.stdout}{self.stderr}")
        return self


def run(*words, env=None, **more):
    """Runs a command to its end; captures stdout and stderr as text. `more`: arguments of subprocess.run."""
    done = subprocess.run(words, **{"stdin": None if "input" in more else subprocess.DEVNULL, "capture_output": True, "text": True,
                                    "timeout": DEADLINE_S, "check": False, "env": {**os.environ, **(env or {})}, **more})
    return Done(done.args, done.returncode, done.stdout, done.stderr)


def adarun_command(*arguments):
    return [os.path.join(os.environ["ADARUN_TEST_BIN"], "adarun"), *map(str, arguments)]


def adarun(*arguments, env=None):
    """Runs adarun to its end; captures stdout and stderr as text."""
    return run(*adarun_command(*arguments), env=env)


class Running(subprocess.Popen):
    """A process; `with` kills it at the end if it still runs."""

    def __exit__(self, *error):
        self.kill()
        super().__exit__(*error)


def start(*arguments, env=None, **streams):
    """Starts adarun, with pipes for stdout and stderr as text; `streams`: other arguments of subprocess.Popen."""
    return Running(adarun_command(*arguments), **{
        "stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True,
        "env": {**os.environ, **(env or {})}, **streams})


def launch(*arguments, hosts=None, env=None):
    """Runs adarun launch on the test hosts."""
    return adarun("launch", "--hosts", hosts or os.environ["ADARUN_TEST_HOSTFILE"], *arguments, env=env)


def hosts(slots, *names):
    """A host list such as node1:4,node2:4."""
    return ",".join(f"{name}:{slots}" for name in names or os.environ["ADARUN_TEST_HOSTS"].split(","))


@contextlib.contextmanager
def ssh_agent(*keys):
    """Runs an ssh-agent with these keys, in this order; yields the environment to reach it."""
    with subprocess.Popen(["ssh-agent", "-D", "-a", "agent"], stdout=subprocess.PIPE, text=True) as agent:
        try:
            agent.stdout.readline()
            env = {"SSH_AUTH_SOCK": os.path.abspath("agent")}
            for key in keys:
                run("ssh-add", "-q", key, env=env).expect(0)
            yield env
        finally:
            agent.terminate()


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
            await_that(lambda: sshd.poll() is not None or os.path.exists(log) and "Server listening" in read(log),
                       "sshd does not come up")
            case.assertIsNone(sshd.poll(), "sshd has ended")
            yield log
        finally:
            sshd.terminate()


def enter_host():
    """The value of --via that enters the namespaces of a test host (network, mounts, host name), without its sshd."""
    script = os.path.join(os.environ["ADARUN_TEST_SCRATCH"], "enter")
    if not os.path.exists(script):
        write_program(script, ["# enter HOST PROGRAM [ARGUMENT...]", f"pid=$(cat {os.environ['ADARUN_TEST_SCRATCH']}/$1.pid)",
                               "shift", "exec nsenter --target $pid --net --uts --mount -- \"$@\""])
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


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def read_bytes(path):
    with open(path, "rb") as file:
        return file.read()


def read_json(path):
    return json.loads(read(path))


def job_file(folder="log_output"):
    return read_json(os.path.join(folder, "job.json"))


def events(kind=None):
    """What events.jsonl has of the last job, or of one kind."""
    found = map(json.loads, lines_of("log_output/events.jsonl"))
    return [event for event in found if kind in (None, event["event"])]


def lines_of(path):
    return read(path).splitlines()


def write(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def write_lines(path, lines):
    write(path, "".join(f"{line}\n" for line in lines))


def write_program(path, lines):
    """A shell script that can be run."""
    write_lines(path, ["#!/bin/sh", *lines])
    os.chmod(path, 0o755)


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


def await_that(holds, words="it does not come", pause_s=0.01):
    """Returns when holds(), which is asked once in every pause, is true; fails with these words at the deadline."""
    end = time.monotonic() + DEADLINE_S
    while not holds():
        assert time.monotonic() < end, words
        time.sleep(pause_s)


def await_in_log(*words):
    """Returns when adarun.log has all of these words."""
    path = "log_output/adarun.log"
    await_that(lambda: os.path.exists(path) and all(word in read(path) for word in words), f"no {words} in adarun.log")


def await_full(pipe):
    """Returns when a pipe that nobody reads takes in nothing more."""
    writer = os.open(f"/proc/self/fd/{pipe.fileno()}", os.O_WRONLY | os.O_NONBLOCK)
    try:
        await_that(lambda: not select.select([], [writer], [], 0)[1], "the pipe is not full")
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
