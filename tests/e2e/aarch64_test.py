#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Jobs on virtual machines (with_aarch64) with another processor and kernel, and no files shared with the launcher."""
import contextlib
import hashlib
import json
import os
import signal
import socket
import subprocess
import time
import unittest

from e2e import DEADLINE_S, InFolder, adarun, events, lines_of, run, start, write

MACHINES = os.environ["ADARUN_TEST_MACHINES"].split(",")
CONFIG = os.environ["ADARUN_TEST_SSH_CONFIG"]
HERE = os.environ["ADARUN_TEST_HOSTS"]  # This machine, by its own sshd.

# Lists what a job left behind: processes other than init, the kernel's and sshd's; files; control groups. Error messages
# of the tools count, too.
LEFT = r"""
exec 2>&1
ps -e -o args= | grep -vE '^(init|sshd: |/usr/sbin/sshd |bash -c |ps -e |grep |\[)'
ls -A -1 /tmp
ls -A -1 /dev/shm
ls -1 /sys/fs/cgroup | grep ^adarun
true
"""

# On an emulated machine with a busy host the SSH banner alone takes seconds.
PATIENTLY = ["--ssh-config", CONFIG, "--connect-timeout", "80s"]
STAY = ["/bin/sh", "-c", "echo up; exec sleep 1000"]


def on(machine, script):
    """What a shell script prints on a machine."""
    return run("ssh", "-F", CONFIG, machine, script, check=True).stdout


def hosts(slots, *names):
    return ",".join(f"{name}:{slots}" for name in names or MACHINES)


def cable(machine, state):
    """Sets a machine's network link "off" or "on"."""
    with socket.socket(socket.AF_UNIX) as monitor:
        monitor.settimeout(DEADLINE_S)
        monitor.connect(os.path.join(os.environ["ADARUN_TEST_MONITORS"], machine))
        monitor.sendall(f"set_link net {state}\n".encode())
        prompts = 0  # One before the command, one when it is done.
        while prompts < 2:
            said = monitor.recv(4096)
            assert said, f"the monitor of {machine} hung up"
            prompts += said.count(b"(qemu)")


class Machines(InFolder):
    """A test that fails if it leaves anything behind on a machine."""

    def setUp(self):
        super().setUp()
        for machine in MACHINES:
            self.addCleanup(self.assert_nothing_left, machine)

    def assert_nothing_left(self, machine):
        end = time.monotonic() + DEADLINE_S
        while (left := on(machine, LEFT)) and time.monotonic() < end:
            pass
        self.assertEqual(left, "", f"left behind on {machine}")

    def launch(self, *arguments, where=None):
        """Runs a job to its end, in a folder that each machine has."""
        return adarun(*self.launching(where), *arguments)

    def launching(self, where=None):
        return "launch", *PATIENTLY, "--workdir", "/tmp", "--hosts", where or hosts(4)

    @contextlib.contextmanager
    def job(self, *arguments, ranks=8, where=None):
        """A launch whose ranks have all printed "up", with its stderr in a file."""
        with open("stderr", "w", encoding="utf-8") as words, \
                start(*self.launching(where), *arguments, stderr=words) as job:
            for _ in range(ranks):
                self.assertEqual(job.stdout.readline(), "up\n", self.words())
            yield job

    def words(self):
        return "\n".join(lines_of("stderr"))

    def await_words(self, job, wanted):
        with subprocess.Popen(["tail", "-f", f"--pid={job.pid}", "-n", "+1", "stderr"], stdout=subprocess.PIPE,
                              text=True) as tail:
            found = any(wanted in line for line in tail.stdout)
            tail.kill()
        self.assertTrue(found, self.words())

    def log_of(self, rank):
        return lines_of(f"log_output/worker_{rank}.log")


class Runs(Machines):
    def test_the_agent_is_brought_and_found_the_next_time(self):
        for machine in MACHINES:
            on(machine, "rm -rf .cache/adarun")
        for how in ("brought to", "found in"):
            done = self.launch("-v", "--", "/bin/sh", "-c", "echo rank $RANK_ID of $RANK_SIZE on $(uname -n) $(uname -m)")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(sorted(done.stdout.splitlines()),
                             [f"rank {rank} of 8 on {MACHINES[rank // 4]} aarch64" for rank in range(8)])
            for machine in MACHINES:
                self.assertRegex(done.stderr, rf"(?m)^adarun: {machine}: connected after .*; {how} \S+/\.cache/adarun, as ")

    def test_a_job_runs_on_processors_of_two_kinds(self):
        done = self.launch("--", "/bin/sh", "-c", "echo $RANK $(uname -m)", where=hosts(2, HERE, MACHINES[0])).expect(0)
        ours = os.uname().machine
        self.assertEqual(sorted(done.stdout.splitlines()), [f"0 {ours}", f"1 {ours}", "2 aarch64", "3 aarch64"])

    def test_a_program_of_mpich_finds_its_world(self):
        for machine in MACHINES:  # One machine at a time, as they cannot reach each other.
            done = self.launch("--", "mpich_hello", where=hosts(4, machine)).expect(0)
            self.assertEqual(sorted(done.stdout.splitlines()), [f"rank {rank} of 4: sum 6" for rank in range(4)])

    def test_a_table_of_the_machines_starts_the_same_ranks(self):
        adarun("ranktable", "gen", "--plain", *PATIENTLY, "--hosts", hosts(2), "-o", "table.json").expect(0)
        done = self.launch("-r", "table.json", "--", "/bin/sh", "-c", "echo $RANK $(uname -n)", where=hosts(2)).expect(0)
        self.assertEqual(sorted(done.stdout.splitlines()), [f"{rank} {MACHINES[rank // 2]}" for rank in range(4)])

    def test_files_are_staged(self):
        content = os.urandom(2_000_000)
        with open("data", "wb") as file:
            file.write(content)
        write("program", "#!/bin/sh\nsha256sum <data\n")
        os.chmod("program", 0o700)
        for machine in MACHINES:
            self.addCleanup(on, machine, "rm -f /tmp/data /tmp/program")
        for words in ("4 MB sent", "all there already"):
            done = self.launch("-v", "--stage", "data", "--stage", "program", "--", "./program", where=hosts(1)).expect(0)
            self.assertEqual(done.stdout.splitlines(), [f"{hashlib.sha256(content).hexdigest()}  -"] * 2)
            self.assertRegex(done.stderr, rf"adarun: staged 2 files .*: {words}")

    def test_what_ranks_print_and_write_can_be_read(self):
        for machine in MACHINES:
            self.addCleanup(on, machine, "rm -f /tmp/own_*.log")
        self.launch("--", "/bin/sh", "-c", "echo line of $RANK; echo kept by $RANK >own_$RANK.log", where=hosts(1)).expect(0)
        self.assertEqual(adarun("logs", "--rank", "1").stdout, "line of 1\n")
        adarun("logs", *PATIENTLY, "--hosts", hosts(1), "--path", "/tmp/own_*.log", "--collect", "own").expect(0)
        found = [os.path.join(at, name) for at, _, names in os.walk("own") for name in names if name.startswith("own_")]
        self.assertEqual(sorted(lines_of(path)[0] for path in found), ["kept by 0", "kept by 1"])

    def test_check_asks_the_machines(self):
        done = adarun("check", *PATIENTLY, "--workdir", "/tmp", "--hosts", hosts(1), "--json", "--", "sh")
        rows = json.loads(done.stdout)
        self.assertEqual([row["found"] for row in rows if row["subject"] == "program"], ["/bin/sh"])
        # check reports that the machines cannot reach each other.
        self.assertEqual({row["subject"] for row in rows if row["verdict"] == "wrong"}, {"TCP"})


class Ends(Machines):
    def test_the_first_failure_ends_the_job(self):
        for failure, status, words in (("exit 7", 7, "exit code 7"), ("kill -KILL $$", 137, "SIGKILL"),
                                       ("kill -SEGV $$", 139, "SIGSEGV")):
            with self.subTest(failure):
                done = self.launch("--", "/bin/sh", "-c", f"[ $RANK != 5 ] || {failure}; exec sleep 1000").expect(status)
                self.assertIn(f"rank 5 on {MACHINES[1]} (device 1) failed first: {words}", done.stderr)

    def test_a_job_that_hangs_is_ended_and_told_where_it_waits(self):
        script = "echo one; [ $RANK = 1 ] || echo two; exec sleep 1000"
        done = self.launch("--hang-timeout", "3s", "--", "/bin/sh", "-c", script, where=hosts(2)).expect(124)
        self.assertRegex(done.stderr, rf"adarun: rank 1 on {MACHINES[0]} \(device 1\) hangs: silent for ")
        self.assertRegex(done.stderr, r"process \d+: sleep 1000")
        self.assertRegex(done.stderr, r"waits in the kernel in \w*nanosleep")

    def test_an_interrupt_ends_it(self):
        with self.job("--", *STAY) as job:
            job.send_signal(signal.SIGINT)
            job.stdout.read()
            self.assertEqual(job.wait(DEADLINE_S), 130, self.words())

    def test_nothing_outlives_an_adarun_that_is_killed(self):
        with self.job("--lease", "3s", "--", *STAY) as job:
            job.kill()

    def test_agents_and_their_ranks_end_together(self):
        with self.job("--", *STAY) as job:
            agents = {event["node"]: event["agent_pid"] for event in events("connected")}
            on(MACHINES[0], f"kill -KILL {agents[MACHINES[0]]}")
            job.stdout.read()
            self.assertEqual(job.wait(DEADLINE_S), 125, self.words())

    def test_a_job_without_a_terminal_is_stopped(self):
        started = self.launch("--detach", "--", *STAY).expect(0)
        adarun("stop", started.stdout.strip()).expect(0)


class Cuts(Machines):
    def assert_all_came_home(self, job, lines, ranks):
        job.stdout.read()
        self.assertEqual(job.wait(DEADLINE_S), 0, self.words())
        self.assertIn("found again, nothing was lost", self.words())
        for rank in range(ranks):
            self.assertEqual(self.log_of(rank), ["up", *map(str, range(1, lines + 1))], f"rank {rank}")

    def test_a_session_that_ends_is_replaced(self):
        # sshd names each process that serves a session "sshd: root...".
        script = "echo up; until [ -e /tmp/go ]; do sleep 0.1; done; exec seq 50000"
        for machine in MACHINES:
            self.addCleanup(on, machine, "rm -f /tmp/go")
        with self.job("--lease", "60s", "--", "/bin/sh", "-c", script, ranks=4, where=hosts(2)) as job:
            on(MACHINES[1], "for pid in $(pgrep -f '^sshd: root'); do [ $pid = $PPID ] || kill -KILL $pid; done")
            for machine in MACHINES:
                on(machine, "touch /tmp/go")
            self.assert_all_came_home(job, 50000, ranks=4)

    def test_a_pulled_cable_loses_nothing(self):
        script = "echo up; until grep -q down /sys/class/net/eth0/operstate; do sleep 0.1; done; exec seq 50000"
        self.addCleanup(cable, MACHINES[1], "on")
        with self.job("--lease", "60s", "--", "/bin/sh", "-c", script, ranks=2, where=hosts(2, MACHINES[1])) as job:
            cable(MACHINES[1], "off")
            self.await_words(job, f"{MACHINES[1]}: cut off")
            cable(MACHINES[1], "on")
            self.assert_all_came_home(job, 50000, ranks=2)


if __name__ == "__main__":
    unittest.main()
