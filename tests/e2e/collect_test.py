#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What agents could not deliver, since their supervisor died, comes home when it is called for."""
import glob
import os
import signal
import subprocess
import sys
import unittest

from e2e import Case, adarun, hosts, launch, survivors

WRITER = """
import os, sys
rank, folder = os.environ["RANK"], sys.argv[1]
os.write(1, b"up\\n")
with open(f"{folder}/go", "rb", 0) as go, open(f"{folder}/wrote_{rank}", "wb", buffering=0) as wrote:
    go.readline()
    wrote.write(b"up\\n")
    for number in range(200000):
        line = b"rank %s line %d\\n" % (rank.encode(), number)
        os.write(1, line)
        wrote.write(line)
os.kill(os.getpid(), 19)
"""


class Collect(Case):
    def setUp(self):
        super().setUp()
        os.mkfifo("go")
        self.go = os.fdopen(os.open("go", os.O_RDWR), "wb", 0)
        self.addCleanup(self.go.close)

    def spools(self):
        return glob.glob(os.path.join(os.environ["HOME"], ".cache/adarun/spool/*"))

    def test_logs_are_what_ranks_wrote_after_the_supervisor_was_killed(self):
        before = set(self.spools())
        started = launch("--detach", "--lease", "5s", "--", sys.executable, "-c", WRITER, self.folder, hosts=hosts(2))
        self.assertEqual(started.returncode, 0, started.stderr)
        job = started.stdout.strip()
        self.assertEqual(adarun("logs", job, "--collect").returncode, 3)
        self.go.write(b"\n" * 4)
        with subprocess.Popen(["tail", "-n+1", "-f", "log_output/worker_3.log"], stdout=subprocess.PIPE) as tail:
            for _ in range(5000):
                tail.stdout.readline()
            tail.kill()
        pid = int(next(iter(adarun("ps", "--json").stdout.split('"pid": ')[1:])).split(",")[0])
        os.kill(pid, signal.SIGKILL)
        early = adarun("logs", job, "--collect")
        self.assertEqual(early.returncode, 3)
        self.assertIn("its agent still runs", early.stderr)
        self.assertEqual(survivors(deadline_s=60), [])
        self.assertEqual(len(set(self.spools()) - before), 2)
        self.assertEqual({os.stat(path).st_mode & 0o777 for path in self.spools()}, {0o700})

        collected = adarun("logs", job, "--collect")
        self.assertEqual(collected.returncode, 0, collected.stderr)
        self.assertRegex(collected.stdout, r"node1: rank 0: \d+ bytes brought home")
        for rank in range(4):
            with open(f"wrote_{rank}", "rb") as wrote, open(f"log_output/worker_{rank}.log", "rb") as log:
                written, logged = wrote.read(), log.read()
            # A rank that is ended between its two writes has one line more in its log.
            self.assertTrue(logged.startswith(written), f"rank {rank} wrote {len(written)}, logged {len(logged)} bytes")
            self.assertLess(len(logged) - len(written), 40)
        self.assertEqual(set(self.spools()) - before, set())
        again = adarun("logs", job, "--collect")
        self.assertEqual((again.returncode, again.stdout.count("nothing was kept there")), (0, 2))


if __name__ == "__main__":
    unittest.main()
