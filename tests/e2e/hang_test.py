# SPDX-License-Identifier: Apache-2.0
"""A job that hangs is ended, and the rank that holds up the others is named, with where it waits."""
import os
import unittest

from e2e import Case, adarun, hosts

# Rank 1 stops after its first line; the others print one more and wait for it.
SCRIPT = 'echo one; [ "$RANK" = 1 ] && tail -f /dev/null; echo two; exec tail -f /dev/null'


class Hang(Case):
    def test_names_the_rank_that_is_furthest_behind_and_where_it_waits(self):
        done = adarun("launch", "--hosts", hosts(2), "--hang-timeout", "1s", "--", "sh", "-c", SCRIPT)
        self.assertEqual(done.returncode, 124, done.stderr)
        self.assertRegex(done.stderr, r"adarun: rank 1 on node1 \(device 1\) hangs: silent for \d.*, as are all ranks")
        self.assertRegex(done.stderr, r"process \d+: tail -f /dev/null")
        with open(os.path.join("log_output", "hang_1.txt"), encoding="utf-8") as file:
            self.assertRegex(file.read(), r"(?s)State:.*sleeping.*waits in the kernel in ")

    def test_a_job_that_prints_does_not_hang(self):
        script = "for i in 1 2 3 4 5 6 7 8; do echo line; sleep 0.5; done"
        done = adarun("launch", "--hosts", hosts(1), "--hang-timeout", "3s", "--", "sh", "-c", script)
        self.assertEqual(done.returncode, 0, done.stderr)


if __name__ == "__main__":
    unittest.main()
