#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Output that agents could not deliver because their supervisor died is fetched by adarun logs --collect."""
import glob
import os
import signal
import sys
import time
import unittest

from e2e import DEADLINE_S, Case, adarun, await_end, await_that, hosts, launch, read_bytes, survivors

# Writes some lines, and many more when told to: by then the supervisor is dead.
WRITER = """
import os, sys
rank, folder = os.environ["RANK"], sys.argv[1]
os.write(1, b"up\\n")
with open(f"{folder}/wrote_{rank}", "wb", buffering=0) as wrote:
    wrote.write(b"up\\n")
    for number in range(24000):
        if number in (0, 8000):
            with open(f"{folder}/go_{number}", "rb", 0) as go:
                go.readline()
        line = b"rank %s line %d\\n" % (rank.encode(), number)
        os.write(1, line)
        wrote.write(line)
os.kill(os.getpid(), 19)
"""
FIRST_BYTES = len("up\n") + sum(len(f"rank 0 line {number}\n") for number in range(8000))


class Collect(Case):
    def setUp(self):
        super().setUp()
        self.go = {number: self.fifo(f"go_{number}") for number in (0, 8000)}

    def spools(self):
        return glob.glob(os.path.join(os.environ["HOME"], ".cache/adarun/spool/*"))

    def lose_the_supervisor(self, *options, logged=FIRST_BYTES):
        """Kills a job's supervisor after `logged` bytes per rank, then lets ranks write the rest; returns the job's id."""
        before = set(self.spools())
        started = launch("--detach", "--lease", "5s", *options, "--", sys.executable, "-c", WRITER, self.folder, hosts=hosts(2))
        self.assertEqual(started.returncode, 0, started.stderr)
        job = started.stdout.strip()
        self.assertEqual(adarun("logs", job, "--collect").returncode, 3)
        self.go[0].write(b"\n" * 4)
        await_that(lambda: all(os.path.getsize(f"log_output/worker_{rank}.log") >= logged for rank in range(4)))
        pid = int(next(iter(adarun("ps", "--json").stdout.split('"pid": ')[1:])).split(",")[0])
        os.kill(pid, signal.SIGKILL)
        await_end(pid, time.monotonic() + DEADLINE_S)
        self.go[8000].write(b"\n" * 4)
        early = adarun("logs", job, "--collect").expect(3)
        self.assertIn("its agent still runs", early.stderr)
        self.assertEqual(survivors(deadline_s=60), [])
        self.assertEqual(len(set(self.spools()) - before), 2)
        self.assertEqual({os.stat(path).st_mode & 0o777 for path in self.spools()}, {0o700})
        return job

    def collect(self, job):
        before = len(self.spools())
        collected = adarun("logs", job, "--collect").expect(0)
        self.assertEqual(len(self.spools()), before - 2)
        return collected.stdout

    def test_logs_are_what_ranks_wrote_after_the_supervisor_was_killed(self):
        job = self.lose_the_supervisor()
        self.assertRegex(self.collect(job), r"node1: rank 0: \d+ bytes brought home")
        for rank in range(4):
            written, logged = read_bytes(f"wrote_{rank}"), read_bytes(f"log_output/worker_{rank}.log")
            # A rank that is killed between its two writes has one more line in its log.
            self.assertTrue(logged.startswith(written), f"rank {rank} wrote {len(written)}, logged {len(logged)} bytes")
            self.assertLess(len(logged) - len(written), 40)
        again = adarun("logs", job, "--collect")
        self.assertEqual((again.returncode, again.stdout.count("nothing was kept there")), (0, 2))

    def test_what_was_kept_lies_beside_logs_that_are_shortened(self):
        job = self.lose_the_supervisor("--log-limit", "50k", logged=25_001)  # One byte more than the first half of the limit.
        shortened = [read_bytes(f"log_output/worker_{rank}.log") for rank in range(4)]
        collected = self.collect(job)
        for rank in range(4):
            self.assertRegex(collected, rf"rank {rank}: \d+ bytes brought home, to worker_{rank}.kept.log, as --log-limit has")
            kept, written = read_bytes(f"log_output/worker_{rank}.kept.log"), read_bytes(f"wrote_{rank}")
            self.assertIn(written[FIRST_BYTES:], kept)
            self.assertIn(kept[:len(written) - FIRST_BYTES], written)
            self.assertEqual(read_bytes(f"log_output/worker_{rank}.log"), shortened[rank])
        self.assertEqual(adarun("logs", "--rank", "3").stdout.encode(), shortened[3])


if __name__ == "__main__":
    unittest.main()
