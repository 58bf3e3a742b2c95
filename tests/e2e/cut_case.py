# SPDX-License-Identifier: Apache-2.0
"""Base of tests that cut the connections of a job, over SSH or srun."""
import contextlib
import re
import subprocess
import sys

from e2e import DEADLINE_S, Case, adarun_command, hosts, read

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
        command = adarun_command("launch", *nodes, *options, "--", sys.executable, "-c", script, *arguments)
        with open("stderr", "w+", encoding="utf-8") as words, \
                subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=words,
                                 text=True, env=slurm) as job:
            try:
                for _ in range(2 * slots):
                    self.assertEqual(job.stdout.readline(), "up\n", self.words())
                yield job
            finally:
                job.kill()

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
            with open(f"wrote_{rank}", "rb") as wrote, open(f"log_output/worker_{rank}.log", "rb") as log:
                self.assertEqual(hash(wrote.read()), hash(log.read()), f"rank {rank}: log and what it wrote differ")

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
