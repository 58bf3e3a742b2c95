# SPDX-License-Identifier: Apache-2.0
"""A hanging job is ended; the message names the rank that blocks the others and where it waits."""
import contextlib
import json
import os
import subprocess
import unittest

from e2e import DEADLINE_S, Case, adarun, events, hosts, read, start

# Rank 1 stops after its first line; the others print one more and wait for it.
SCRIPT = 'echo one; [ "$RANK" = 1 ] && tail -f /dev/null; echo two; exec tail -f /dev/null'

# All ranks print losses until there is a file "enough"; rank 2 does something else after a while.
STRAGGLER = """
i=0
while [ ! -e enough ]; do
  i=$((i+1))
  if [ $RANK != 2 ] || [ $i -lt 40 ]; then echo "epoch: 1 step: $i, loss is 0.5"; else %s; fi
  sleep 0.1
done
"""


class Hang(Case):
    def test_names_the_rank_that_is_furthest_behind_and_where_it_waits(self):
        done = adarun("launch", "--hosts", hosts(2), "--hang-timeout", "1s", "--", "sh", "-c", SCRIPT).expect(124)
        self.assertRegex(done.stderr, r"adarun: rank 1 on node1 \(device 1\) hangs: silent for \d.*, as are all ranks")
        self.assertRegex(done.stderr, r"process \d+: tail -f /dev/null")
        self.assertRegex(read(os.path.join("log_output", "hang_1.txt")), r"(?s)State:.*sleeping.*waits in the kernel in ")

    def test_a_job_that_prints_does_not_hang(self):
        script = "for i in 1 2 3 4 5 6 7 8; do echo line; sleep 0.5; done"
        adarun("launch", "--hosts", hosts(1), "--hang-timeout", "3s", "--", "sh", "-c", script).expect(0)

    @contextlib.contextmanager
    def straggling(self, behaviour):
        """A job in which rank 2 falls behind; yields stderr up to the report on it."""
        with start("launch", "--hosts", hosts(2), "--hang-timeout", "1s", "--", "sh", "-c", STRAGGLER % behaviour,
                   stdout=subprocess.DEVNULL) as job:
            self.addCleanup(job.kill)
            words = ""
            for line in job.stderr:
                words += line
                if "waits in the kernel" in line:
                    break
            yield words
            with open("enough", "w", encoding="utf-8"):
                pass
            self.assertNotIn("rank 2", job.stderr.read())
            self.assertEqual(job.wait(DEADLINE_S), 0, "the job continues")

    def test_a_silent_rank_among_others_that_go_on_is_named_once_and_not_stopped(self):
        with self.straggling(":") as words:
            self.assertRegex(words, r"adarun: rank 2 on node2 \(device 0\) has been silent for \d.* "
                                    r"\(its last step is 39\), while most ranks continue; the job continues, too\n"
                                    r"adarun: rank 2, as it stands:\nadarun:     process \d+: ")
            status = json.loads(adarun("status", "--json").stdout)
        ranks = status["ranks"]
        self.assertEqual(ranks[2]["step"], 39)
        for time in ("silent_ms", "since_step_ms"):
            self.assertGreaterEqual(ranks[2][time], 1000)
            self.assertLess(ranks[1][time], ranks[2][time])
        self.assertGreater(ranks[1]["step"], 39)
        self.assertEqual([(event["rank"], event["why"]) for event in events("examined")], [(2, "stays_behind")])

    def test_a_rank_that_prints_but_makes_no_step_is_named(self):
        with self.straggling("echo waiting") as words:
            self.assertRegex(words, r"rank 2 on node2 \(device 0\) prints, but has made no step for \d.* "
                                    r"\(its last step is 39\), while most ranks continue")
            text = adarun("status").stdout
        self.assertRegex(text, r"(?m)^ +2  node2  running +39  \S+ s ago +\S+ ms ago +waiting$")


if __name__ == "__main__":
    unittest.main()
