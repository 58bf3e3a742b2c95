# SPDX-License-Identifier: Apache-2.0
"""Jobs whose connections are cut again and again, at random times and in random ways."""
import contextlib
import os
import random
import subprocess
import sys

from cutting import cut, end_sessions, mend, sessions
from e2e import Case, adarun, events, hosts, launch, lines_of, read, read_bytes, start

# An agent whose last message was lost waits this long for the launcher to reconnect, and the test waits for it.
LEASE = "12s"

# Writes random bytes in pieces of random size to stdout, and to a file for comparison.
RANDOM = """
import os, random, sys, time
rank, pieces = int(os.environ["RANK"]), int(sys.argv[1])
dice = random.Random(rank)
with open(f"{sys.argv[2]}/wrote_{rank}", "wb") as wrote:
    wrote.write(b"up\\n")
    os.write(1, b"up\\n")
    for _ in range(pieces):
        piece = dice.randbytes(dice.randrange(1, 1 << 16))
        wrote.write(piece)
        while piece:
            piece = piece[os.write(1, piece):]
        time.sleep(dice.random() * 0.02)
"""

# Writes lines slowly enough that cuts happen in between.
LINES = """
import os, sys, time
rank = os.environ["RANK"]
with open(f"{sys.argv[2]}/wrote_{rank}", "w") as wrote:
    for number in range(int(sys.argv[1])):
        line = f"rank {rank} line {number} " + "x" * (number % 300) + "\\n"
        wrote.write(line)
        sys.stdout.write(line)
        if number % 50 == 0:
            sys.stdout.flush()
            time.sleep(0.005)
"""


class Cuts(Case):
    def setUp(self):
        super().setUp()
        open("stderr", "w", encoding="utf-8").close()
        self.seed = random.randrange(1 << 32)
        self.dice = random.Random(self.seed)
        self.addCleanup(mend, "node2")

    def cut_until_end_of(self, job, cable=True):
        """Until the job has ended, kills some sessions or takes node2's link down for a while; sessions first, as a short
        link failure may go unnoticed."""
        number = 0
        while job.poll() is None:
            if cable and number > 0 and self.dice.random() < 0.3:
                cut("node2")
                self.wait(job, self.dice.uniform(0.05, 1.5))
                mend("node2")
            else:
                there = sessions()
                end_sessions(self.dice.sample(there, self.dice.randint(min(1, len(there)), len(there))))
            number += 1
            self.wait(job, self.dice.uniform(0.05, 0.8))
        self.assertEqual(job.returncode, 0, f"seed {self.seed}: {self.words()}")
        self.assertGreater(number, 2, "too few cuts to tell")

    def wait(self, job, seconds):
        with contextlib.suppress(subprocess.TimeoutExpired):
            job.wait(seconds)

    @contextlib.contextmanager
    def started(self, *arguments):
        """A launch whose four ranks have printed "up"; what they print from then on is read and dropped."""
        with open("stderr", "wb") as words, start("launch", "--hosts", hosts(2), "--lease", LEASE, *arguments, stderr=words,
                                                  text=False, bufsize=0) as job:
            up = 0
            while up < 4:
                piece = job.stdout.read(1 << 16) or self.fail(self.words())
                up += piece.count(b"up\n")
            with subprocess.Popen(["cat"], stdin=job.stdout, stdout=subprocess.DEVNULL):
                yield job

    def words(self):
        return read("stderr")

    def assert_logs_are_what_ranks_wrote(self, ranks):
        for rank in range(ranks):
            same = read_bytes(f"wrote_{rank}") == read_bytes(f"log_output/worker_{rank}.log")
            self.assertTrue(same, f"seed {self.seed}: log of rank {rank} is not what it wrote")

    def cuts_in_events(self):
        return sum("cut off" in event.get("message", "") for event in events())

    def test_bytes_of_any_kind_come_home_whole(self):
        with self.started("--", sys.executable, "-c", RANDOM, "300", self.folder) as job:
            self.cut_until_end_of(job)
        self.assertGreater(self.cuts_in_events(), 0)
        self.assert_logs_are_what_ranks_wrote(4)

    def test_a_detached_job_is_shown_whole_by_who_attaches(self):
        started = launch("--detach", "--lease", LEASE, "--", sys.executable, "-c", LINES, "20000", self.folder, hosts=hosts(2))
        self.assertEqual(started.returncode, 0, started.stderr)
        job = started.stdout.strip()
        with open("shown", "wb") as shown, start("attach", job, stdout=shown, stderr=None, text=False) as attached:
            self.cut_until_end_of(attached)
        again = adarun("attach", job).expect(0)
        self.assertEqual("\n".join(lines_of("shown")) + "\n", again.stdout, "whoever attaches later sees the same")
        printed = sorted(line for line in lines_of("shown") if not line.startswith("adarun: "))
        wrote = sorted(line for rank in range(4) for line in lines_of(f"wrote_{rank}"))
        self.assertTrue(printed == wrote, f"seed {self.seed}: {len(printed)} lines shown, {len(wrote)} written")
        self.assertGreater(self.cuts_in_events(), 0)
        self.assert_logs_are_what_ranks_wrote(4)

    def test_mpi_programs_find_their_world(self):
        program = os.path.join(os.environ["ADARUN_TEST_BIN"], "mpi_hello")
        if not os.path.exists(program):
            self.skipTest("built without MPI")
        script = "echo up; sleep $(($RANK + 1)); exec $0"
        with self.started("--mpi", "on", "--", "sh", "-c", script, program) as job:
            self.cut_until_end_of(job, cable=False)  # Open MPI ignores interfaces that are down when it starts.
        self.assertEqual(self.logs(4), [f"up\nrank {rank} of 4: sum 6\n" for rank in range(4)])
