#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Agents that lose their launcher, and a launcher that loses a node: everything ends within the lease."""
import contextlib
import os
import signal
import subprocess
import unittest

from e2e import DEADLINE_S, Case, adarun_command, hosts, survivors

RANK = "echo up; setsid tail -f /dev/null & exec tail -f /dev/null"


@contextlib.contextmanager
def running_job(ranks):
    """A launch whose ranks have all said that they are up."""
    command = adarun_command("launch", "--hosts", hosts(ranks // 2), "--lease", "3s", "--", "sh", "-c", RANK)
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True) as job:
        try:
            for _ in range(ranks):
                assert job.stdout.readline() == "up\n", job.communicate(timeout=DEADLINE_S)
            yield job
        finally:
            job.kill()


class Lease(Case):
    def test_agents_end_everything_when_the_launcher_is_killed(self):
        with running_job(ranks=4) as job:
            self.assertNotEqual(survivors(deadline_s=0), [])
            job.send_signal(signal.SIGKILL)
        self.assertEqual(survivors(deadline_s=20), [])

    def test_agents_end_everything_when_the_launcher_stands_still(self):
        with running_job(ranks=4) as job:
            job.send_signal(signal.SIGSTOP)
            left = survivors(deadline_s=20)
            self.assertEqual(left, [" ".join(job.args)])

    def test_a_node_that_is_cut_off_ends_the_job_on_all_nodes(self):
        with running_job(ranks=4) as job:
            subprocess.run(["ip", "-n", "node2", "link", "set", "eth0", "down"], check=True)
            self.addCleanup(subprocess.run, ["ip", "-n", "node2", "link", "set", "eth0", "up"], check=True)
            _, words = job.communicate(timeout=DEADLINE_S)
        self.assertEqual(job.returncode, 125, words)
        self.assertIn("node2", words)
        self.assertEqual(survivors(deadline_s=20), [])

    def test_an_interrupt_ends_the_job(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            with self.subTest(number), running_job(ranks=2) as job:
                job.send_signal(number)
                job.communicate(timeout=DEADLINE_S)
                self.assertEqual(job.returncode, 128 + number)
            self.assertEqual(survivors(deadline_s=20), [])


if __name__ == "__main__":
    unittest.main()
