#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A job whose connections are cut: shorter than the lease, no byte and no rank is lost."""
import contextlib
import glob
import os
import re
import signal
import subprocess
import sys
import unittest

from e2e import DEADLINE_S, Case, adarun_command, hosts, processes, survivors

# Numbered lines, flat out and to both streams, and the same into a file beside the logs for comparison.
WRITER = """
import os, sys
rank, lines, folder = os.environ["RANK"], int(sys.argv[1]), sys.argv[2]
with open(f"{folder}/go", "rb") as go:
    print("up", flush=True)
    go.read()
with open(f"{folder}/wrote_{rank}", "w") as wrote:
    print("up", file=wrote)
    for number in range(lines):
        line = f"rank {rank} line {number} " + "x" * (number % 200)
        wrote.write(line + "\\n")
        sys.stdout.write(line + "\\n")
"""


def cut(name):
    subprocess.run(["ip", "-n", name, "link", "set", "eth0", "down"], check=True)


def mend(name):
    subprocess.run(["ip", "-n", name, "link", "set", "eth0", "up"], check=True)


def sessions():
    """The processes that sshd has for sessions, by pid."""
    return [pid for pid, words in processes(sshd=True).items() if words.startswith("sshd:") and "listener" not in words]


def end_sessions():
    for pid in sessions():
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


class Cut(Case):
    @contextlib.contextmanager
    def job(self, slots, script, *arguments, options=()):
        """A launch whose ranks have all said that they are up, and that go on when go() is called."""
        os.mkfifo("go")
        self.go = os.fdopen(os.open("go", os.O_RDWR), "wb")  # Until it is closed, ranks wait.
        command = adarun_command("launch", "--hosts", hosts(slots), *options, "--", sys.executable, "-c", script,
                                 *arguments)
        with open("stderr", "w+", encoding="utf-8") as words, \
                subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=words,
                                 text=True) as job:
            try:
                for _ in range(2 * slots):
                    self.assertEqual(job.stdout.readline(), "up\n", self.words())
                yield job
            finally:
                self.go.close()
                job.kill()

    def words(self):
        with open("stderr", encoding="utf-8") as file:
            return file.read()

    def await_words(self, job, pattern):
        """Returns when stderr has them, or fails at the end of the job."""
        with subprocess.Popen(["tail", "-f", f"--pid={job.pid}", "-n", "+1", "stderr"], stdout=subprocess.PIPE,
                              text=True) as tail:
            found = any(re.search(pattern, line) for line in tail.stdout)
            tail.kill()
        self.assertTrue(found, self.words())

    def assert_logs_are_what_ranks_wrote(self, ranks):
        for rank in range(ranks):
            with open(f"wrote_{rank}", "rb") as wrote, open(f"log_output/worker_{rank}.log", "rb") as log:
                self.assertEqual(hash(wrote.read()), hash(log.read()), f"rank {rank}: log and what it wrote differ")

    def finish(self, job):
        job.stdout.read()
        self.assertEqual(job.wait(DEADLINE_S), 0, self.words())

    def test_sessions_that_sshd_ends_are_replaced(self):
        with self.job(2, WRITER, "200000", self.folder) as job:
            self.go.close()
            for _ in range(3):
                for _ in range(5000):
                    job.stdout.readline()
                end_sessions()
            self.finish(job)
        self.assertIn("cut off, and being looked for", self.words())
        self.assertIn("found again, nothing was lost", self.words())
        self.assert_logs_are_what_ranks_wrote(4)

    def test_a_pulled_cable_loses_nothing_and_holds_no_rank_up(self):
        with self.job(1, WRITER, "400000", self.folder, options=["--lease", "60s"]) as job:
            cut("node2")
            self.addCleanup(mend, "node2")
            self.go.close()
            self.await_words(job, "node2: cut off")
            # More than memory and pipes hold is written meanwhile.
            with subprocess.Popen(["tail", "-f", "wrote_1"], stdout=subprocess.PIPE, text=True) as tail:
                for line in tail.stdout:
                    if line.startswith("rank 1 line 399999"):
                        break
                tail.kill()
            self.assertIn("1", {name.rpartition("_")[2] for name in glob.glob("wrote_*")})
            mend("node2")
            self.finish(job)
        self.assertIn("node2: found again", self.words())
        self.assert_logs_are_what_ranks_wrote(2)

    def test_the_end_of_a_job_that_comes_during_a_cut_is_told(self):
        script = "go = open('%s/go', 'rb'); print('up', flush=True); go.read(); raise SystemExit(7 * int(__import__('os').environ['RANK']))"
        with self.job(1, script % self.folder, options=["--lease", "60s"]) as job:
            cut("node2")
            self.addCleanup(mend, "node2")
            self.go.close()
            self.await_words(job, "node2: cut off")
            mend("node2")
            job.stdout.read()
            self.assertEqual(job.wait(DEADLINE_S), 7, self.words())

    def test_an_agent_that_is_gone_is_not_looked_for_until_the_lease_is_over(self):
        script = "go = open('%s/go', 'rb'); print('up', flush=True); go.read(); import time; time.sleep(1000)"
        with self.job(1, script % self.folder, options=["--lease", "10m"]) as job:
            self.go.close()
            agents = [pid for pid, words in processes().items() if words.endswith("adarun-agent")]
            self.assertEqual(len(agents), 2)
            os.kill(agents[0], signal.SIGKILL)
            job.stdout.read()
            self.assertEqual(job.wait(DEADLINE_S), 125, self.words())
        self.assertIn("its agent is gone", self.words())
        self.assertEqual(survivors(deadline_s=20), [])


if __name__ == "__main__":
    unittest.main()
