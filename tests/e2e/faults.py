# SPDX-License-Identifier: Apache-2.0
"""Faults of a cluster, each produced on the test hosts and observed until everything has ended.

faults_test.py checks each against the outcome given here; bench/faults/faults.py prints what a user saw, as a table.
"""
import os
import re
import signal
import subprocess
import time
from typing import Callable, NamedTuple

from e2e import (DEADLINE_S, await_end, hosts, lines_of, own_sshd, parent_of, processes, read_bytes, renamed, start,
                 survivors, write_lines)

LEASE = ("--lease", "2s")
SLEEPER = "setsid tail -f /dev/null & exec tail -f /dev/null"
FAULTS = []


class Outcome(NamedTuple):
    words: str       # adarun's stderr.
    status: int      # As in a shell: 128 + the number of a signal.
    seconds: float   # From the fault until everything had ended.
    left: list       # Command lines of processes that still ran then.

    def line(self):
        """The first message of adarun, except the notice that it looks for a node, or that one is busy."""
        found = re.search("^adarun: (?!.*(?:reconnecting|: busy: ))(.*)", self.words, re.MULTILINE)
        return found.group(1) if found else ""


class Fault(NamedTuple):
    name: str
    line: str        # What that message must match; empty: no message.
    status: int
    within_s: float  # Generous limit, where the product promises one; None: no promise.
    over: str        # "any" transport, a "network", or "ssh" of adarun itself.
    act: Callable[["Scene"], Outcome]


def fault(name, line, status, within_s=None, over="any"):
    """Registers a function that produces a fault in a Scene and returns the outcome."""
    def add(act):
        FAULTS.append(Fault(name, line, status, within_s, over, act))
        return act
    return add


class Scene:
    """Where a fault is produced: the current folder, which is empty, and the test hosts; `via`: options that say how they
    are reached."""

    def __init__(self, folder, via=()):
        self.folder = folder
        self.via = via
        self.out = b""  # stdout of the last job.

    def launch(self, *arguments, where=None, env=None):
        """Runs a job that meets the fault by itself."""
        with self.job(arguments, where, env) as job:
            return self.watch(job)

    def strike(self, blow, *options, ranks=2, rank=SLEEPER):
        """Starts a job and calls blow(job) when all its ranks are up."""
        program = ["--", "sh", "-c", "echo up; " + rank]
        with self.job([*LEASE, *options, *program], hosts(ranks // 2)) as job:
            for _ in range(ranks):
                assert job.stdout.readline() == b"up\n", job.communicate(timeout=DEADLINE_S)
            begin = time.monotonic()
            blow(job)
            return self.watch(job, begin)

    def job(self, arguments, where=None, env=None):
        return start("launch", "--hosts", where or hosts(1), *self.via, *arguments, env=env, text=False)

    def watch(self, job, begin=None):
        """Waits until a job and all its processes have ended."""
        begin = begin or time.monotonic()
        self.out, words = job.communicate(timeout=DEADLINE_S)
        left = survivors(deadline_s=20)
        status = job.returncode if job.returncode >= 0 else 128 - job.returncode
        return Outcome(words.decode(errors="replace"), status, time.monotonic() - begin, left)

    def ssh_config(self, **settings):
        """The ssh configuration of the test hosts with some settings changed."""
        lines = ["Host *", *(f"{key} {value}" for key, value in settings.items()),
                 *(line for line in lines_of(os.environ["ADARUN_TEST_SSH_CONFIG"])[1:] if line.split()[0] not in settings)]
        write_lines("ssh_config", lines)
        return "ssh_config"

    def known_hosts(self, change):
        """A known_hosts file: change() of the test hosts' keys (name -> key)."""
        key_of = dict(line.split(" ", 1) for line in lines_of(os.environ["ADARUN_TEST_KNOWN_HOSTS"]))
        write_lines("known_hosts", [f"{name} {key}" for name, key in change(key_of).items()])
        return os.path.join(self.folder, "known_hosts")

    def script(self, text, mode=0o755):
        path = os.path.join(self.folder, "script")
        write_lines(path, text.splitlines())
        os.chmod(path, mode)
        return path


def agents():
    """Process ids of the agents that talk to a launcher, without their parents, the watchdogs."""
    found = [pid for pid, text in processes().items() if text.split()[0].endswith("adarun-agent")]
    return [pid for pid in found if parent_of(pid) in found] or found


def link(node, state):
    subprocess.run(["ip", "-n", node, "link", "set", "eth0", state], check=True)


# Faults that keep a job from starting.


@fault("unknown host key", r"node1: its host key is unknown \(SHA256:\S+\): refused; .*--host-key accept-new", 125, over="ssh")
def unknown_host_key(scene):
    known = scene.known_hosts(lambda keys: {})
    return scene.launch("--ssh-config", scene.ssh_config(UserKnownHostsFile=known), "--", "true", where="node1")


@fault("changed host key", r"node1: its host key has changed \(now SHA256:\S+\): refused; .* remove .*known_hosts", 125, over="ssh")
def changed_host_key(scene):
    known = scene.known_hosts(lambda keys: {**keys, "node1": keys["node2"]})
    return scene.launch("--ssh-config", scene.ssh_config(UserKnownHostsFile=known), "--host-key", "accept-new",
                        "--", "true", where="node1")


def encrypted_key(scene):
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "secret", "-f", "locked"], check=True)
    return os.path.join(scene.folder, "locked")


@fault("encrypted key in the configuration, no ssh-agent", r"launcher: SSH login as root refused: .*locked needs a passphrase: ssh-add \S*locked", 125, over="ssh")
def encrypted_key_of_the_configuration(scene):
    key = encrypted_key(scene)
    with own_sshd(scene, f"AuthorizedKeysFile {key}.pub") as config:
        lines = [line.replace(os.environ["ADARUN_TEST_IDENTITY"], key) for line in lines_of(config)]
        write_lines(config, lines)
        return scene.launch("--ssh-config", config, "--", "true", where="launcher")


@fault("encrypted key by --identity", r"locked: needs a passphrase, .*: ssh-add \S*locked", 125, over="ssh")
def encrypted_key_as_identity(scene):
    return scene.launch("--identity", encrypted_key(scene), "--", "true", where="node1")


@fault("password-only host", r"launcher: SSH login as root refused: its sshd takes no keys, .*PubkeyAuthentication.*ssh-copy-id", 125, over="ssh")
def password_only_host(scene):
    with own_sshd(scene, "PubkeyAuthentication no", "PasswordAuthentication yes") as config:
        return scene.launch("--ssh-config", config, "--", "true", where="launcher")


@fault("wrong user", r"node1: SSH login as nobody refused: no key .*tried: \S*id_ed25519.*ssh-copy-id.*--user", 125, over="ssh")
def wrong_user(scene):
    return scene.launch("--user", "nobody", "--", "true", where="node1")


@fault("DNS failure", r"no\.such\.host\.invalid: cannot resolve this name: ", 125, over="ssh")
def dns_failure(scene):
    return scene.launch("--", "true", where="node1,no.such.host.invalid")


@fault("port closed", r"node1: cannot connect to 10\.77\.0\.2 port 2222: Connection refused", 125, over="ssh")
def port_closed(scene):
    return scene.launch("--port", "2222", "--", "true", where="node1")


@fault("black-holed host", r"10\.77\.50\.1: no connection within 1 s: 10\.77\.50\.1 port 22 does not answer", 125, 20, over="ssh")
def black_holed_host(scene):
    # An ARP entry with a MAC address that does not exist: packets are lost without an error.
    neighbour = ["10.77.50.1", "dev", "br0"]
    subprocess.run(["ip", "neigh", "add", *neighbour, "lladdr", "02:00:00:00:00:01", "nud", "permanent"], check=True)
    try:
        return scene.launch("--connect-timeout", "1s", "--", "true", where="node1,10.77.50.1")
    finally:
        subprocess.run(["ip", "neigh", "del", *neighbour], check=True)


@fault("missing program", r'node\d: rank \d: "no-such-program" \(looked up in PATH\): No such file', 127)
def missing_program(scene):
    return scene.launch("--", "no-such-program")


@fault("no execute bit", r'node\d: rank \d: ".*/script": Permission denied \(.*chmod \+x\)', 126)
def no_execute_bit(scene):
    return scene.launch("--", scene.script("#!/bin/sh", mode=0o644))


@fault("missing workdir", r'node\d: rank \d: folder "/no/such/folder": No such file .*--workdir', 125)
def missing_workdir(scene):
    return scene.launch("--workdir", "/no/such/folder", "--", "true")


# Faults of a running job.


@fault("full disk under the log dir", r"(adarun|worker_\d|env_\d)\.log: cannot write( this file)?: No space left on device", 125)
def full_disk(scene):
    os.mkdir("disk")
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "disk", "disk"], check=True)
    try:
        return scene.launch("--log-dir", "disk/log", "--", "sh", "-c", "while echo something; do :; done")
    finally:
        subprocess.run(["umount", os.path.join(scene.folder, "disk")], check=True)


@fault("agent killed (kill -9)", r"node\d: the agent hung up", 125, 30)
def agent_killed(scene):
    return scene.strike(lambda job: os.kill(agents()[0], signal.SIGKILL))


@fault("agent stopped (SIGSTOP)", r"node\d: (no sign of life for 2 s|the agent hung up: .*: it did not respond for \d+ ms \(it was stopped\))", 125, 30)
def agent_stopped(scene):
    return scene.strike(lambda job: os.kill(agents()[0], signal.SIGSTOP))


@fault("node cut off in mid-job", r"node2: no sign of life for 2 s", 125, 30, over="network")
def node_cut_off(scene):
    try:
        return scene.strike(lambda job: link("node2", "down"))  # It stays down until everything has ended.
    finally:
        link("node2", "up")


@fault("launcher killed (kill -9)", "", 128 + signal.SIGKILL, 30)
def launcher_killed(scene):
    return scene.strike(lambda job: job.kill())


@fault("launcher SIGSTOPped for long", r"node\d: nothing heard from adarun for (six leases|its lease) of 2000 ms", 125, 30)
def launcher_stopped(scene):
    def stop_until_all_has_ended(job):
        job.send_signal(signal.SIGSTOP)
        end = time.monotonic() + 20
        while (others := [pid for pid in processes() if pid != job.pid]) and time.monotonic() < end:
            await_end(others[0], end)
        job.send_signal(signal.SIGCONT)
    return scene.strike(stop_until_all_has_ended)


@fault("Ctrl-C (SIGINT)", "interrupted by SIGINT", 128 + signal.SIGINT, 30)
def interrupted(scene):
    return scene.strike(lambda job: job.send_signal(signal.SIGINT))


@fault("SIGTERM", "interrupted by SIGTERM", 128 + signal.SIGTERM, 30)
def told_to_end(scene):
    return scene.strike(lambda job: job.send_signal(signal.SIGTERM))


@fault("the terminal is closed (SIGHUP)", "interrupted by SIGHUP", 128 + signal.SIGHUP, 30)
def terminal_closed(scene):
    return scene.strike(lambda job: job.send_signal(signal.SIGHUP))


@fault("rank killed by a signal", r"rank 1 on node2 \(device 0\) failed first: SIGKILL \(Killed\)", 128 + signal.SIGKILL)
def rank_killed(scene):
    return scene.launch("--", "sh", "-c", f"[ $RANK = 0 ] || kill -KILL $$; {SLEEPER}")


@fault("rank that ignores TERM", r"rank 1 on node2 \(device 0\) failed first: exit code 3", 3, 30)
def rank_that_ignores_term(scene):
    script = "trap '' TERM; [ $RANK = 0 ] || exit 3; while :; do sleep 1; done"
    return scene.launch("--grace", "500ms", "--", "sh", "-c", script)


@fault("fork bomb's children", r"rank 1 on node2 \(device 0\) failed first: exit code 3", 3, 60)
def fork_bomb(scene):
    # 63 processes on each node, half of them in sessions of their own; all ignore TERM.
    bomb = scene.script('#!/bin/sh\n'
                        'trap "" TERM\n'
                        'if [ $1 -gt 0 ]; then "$0" $(($1 - 1)) & setsid "$0" $(($1 - 1)) & fi\n'
                        'exec tail -f /dev/null')
    script = '"$1" 5 & [ $RANK = 0 ] || exit 3; wait'
    return scene.launch("--grace", "500ms", "--", "sh", "-c", script, "sh", bomb)


# Not faults, but cases where other launchers fail.


@fault("argv and env of 200 kB with every kind of character", "", 0)
def awkward_words(scene):
    words = ["two words", "", "'", '"', "$HOME", "`id`", "a\nb", "*", "\\", "ünïcödé 字", "-n", "[1,2]", "x" * 100_000]
    value = "= ' \" $HOME\nünï " + "y" * 90_000
    show = 'import os,sys; sys.stdout.write("\\0".join([*sys.argv[1:], os.environ["WORD"]]))'
    outcome = scene.launch("--env", f"WORD={value}", "--", "python3", "-c", show, *words)
    assert read_bytes("log_output/worker_1.log").decode().split("\0") == [*words, value], "changed on the way"
    return outcome


@fault("the same hostname on two nodes", "", 0)
def same_hostname(scene):
    with renamed("node1", "twin"), renamed("node2", "twin"):
        outcome = scene.launch("--tag-output", "--", "sh", "-c", "echo $(hostname) $GROUP_RANK")
    assert sorted(scene.out.splitlines()) == [b"[0] twin 0", b"[1] twin 1"], scene.out
    return outcome


@fault("unequal device counts", "", 0)
def unequal_counts(scene):
    script = "echo $RANK $LOCAL_RANK $LOCAL_WORLD_SIZE $(hostname)"
    outcome = scene.launch("--", "sh", "-c", script, where="node1:1,node2:3")
    assert sorted(scene.out.splitlines()) == [b"0 0 1 node1", b"1 0 3 node2", b"2 1 3 node2", b"3 2 3 node2"], scene.out
    return outcome
