#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""adarun's own messages: each step with -v, only failures with -q."""
import os
import signal
import unittest

from e2e import DEADLINE_S, Case, adarun, events, hosts, launch, start, write_program


class Verbose(Case):
    def test_tells_each_step_on_stderr(self):
        done = launch("-v", "--mpi", "off", "--", "echo", "hello", hosts=hosts(1)).expect(0)
        self.assertEqual(done.stdout, "hello\n" * 2)
        for wanted in (r"job \S+: connecting to 2 nodes over SSH, at most 64 at once",
                       r"node1: connected after [\d.]+ m?s: adarun-agent [0-9.]+ on node1, pid \d+",
                       r"node2: set up, without a server for MPI: --mpi off",
                       r"rank 1 on node2 \(device 0\) started, pid \d+",
                       r"rank 1 on node2 \(device 0\) ended after [\d.]+ m?s: exit code 0",
                       r"the job of 2 ranks ended after .*: all exited 0; logs in log_output/"):
            self.assertRegex(done.stderr, f"(?m)^adarun: {wanted}$")
        self.assertEqual(len(events("ready")), 2)

    def test_tells_which_signals_went_out(self):
        script = "trap 'echo usr1 >&2; exit 7' USR1; echo up; while :; do sleep 0.05; done"
        with start("launch", "--verbose", "--hosts", hosts(1), "--", "sh", "-c", script) as job:
            try:
                self.assertEqual([job.stdout.readline() for _ in range(2)], ["up\n"] * 2)
                job.send_signal(signal.SIGUSR1)
                words = job.communicate(timeout=DEADLINE_S)[1]
            finally:
                job.kill()
        self.assertEqual(job.returncode, 7, words)
        self.assertIn("adarun: SIGUSR1 passed on to every rank\n", words)
        self.assertIn("adarun: stopping the job: TERM to every process, KILL after 5 s\n", words)
        self.assertEqual((len(events("forwarded")), len(events("stopping"))), (1, 1))


class Quiet(Case):
    def test_launch_says_nothing_of_its_own_but_failures(self):
        done = launch("-q", "--", "sh", "-c", "echo out; echo err >&2", hosts=hosts(1))
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "out\n" * 2, "err\n" * 2))
        failed = launch("--quiet", "--restarts", "1", "--restart-delay", "1ms", "--", "sh", "-c", "exit 3", hosts=hosts(1))
        self.assertEqual(failed.returncode, 3)
        self.assertIn("failed first: exit code 3", failed.stderr)
        self.assertNotIn("restart 1", failed.stderr)

    def test_launch_says_that_it_is_no_option_of_srun(self):
        done = adarun("launch", "-n", "1", "-q", "no_such_qos", "./train").expect(127)
        self.assertIn("No such file or directory", done.stderr)
        self.assertTrue(done.stderr.endswith("adarun: launch: -q is --quiet here, and \"no_such_qos\" behind it the program; "
                                             "for srun's -q, ask salloc or sbatch for nodes\n"), done.stderr)

    def test_train_shows_no_loss(self):
        write_program("trainer", ["echo 'epoch: 1 step: 1, loss is 2.5'", "echo err >&2"])
        command = ["train", "--trainer", os.path.join(self.folder, "trainer"), "--adasum-world", "any", "--hosts", hosts(1)]
        shown = adarun(*command)
        self.assertIn("loss 2.5", shown.stdout)
        self.assertIn("adarun: connected to all 2 nodes\n", shown.stderr)
        quiet = adarun(*command, "-q")
        self.assertEqual((quiet.returncode, quiet.stdout), (0, ""))
        self.assertEqual(sorted(quiet.stderr.splitlines()), ["[0] err", "[1] err"])

    def test_is_not_verbose(self):
        self.assertEqual(launch("-q", "-v", "--", "true").returncode, 2)


if __name__ == "__main__":
    unittest.main()
