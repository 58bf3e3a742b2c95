#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Signals to a job: those that the parent of adarun ignores, and Ctrl-Z."""
import os
import signal
import subprocess
import time
import unittest

from e2e import DEADLINE_S, Case, adarun_command, hosts, processes


class Signals(Case):
    def setUp(self):
        super().setUp()
        os.mkfifo("go")
        self.go = os.fdopen(os.open("go", os.O_RDWR), "wb", 0)
        self.addCleanup(self.go.close)

    def start(self, *command, script):
        """adarun launch in a process group of its own, as a shell starts it; each rank ends when it reads a line from `go`."""
        job = subprocess.Popen([*command, *adarun_command("launch", "--lease", "1s", "--hosts", hosts(1), "--", "sh", "-c",
                                                          f"{script}; read -r go < {self.folder}/go; echo end")],
                               stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                               preexec_fn=os.setpgrp)
        self.addCleanup(job.wait)
        self.addCleanup(job.kill)
        return job

    def test_ignored_signals_stay_ignored_here_and_in_ranks(self):
        ignoring = "trap '' HUP INT QUIT; exec \"$@\""
        job = self.start("sh", "-c", ignoring, "sh", script="grep SigIgn /proc/self/status")
        said = [job.stdout.readline() for _ in range(2)]
        for number in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT):
            job.send_signal(number)
        self.go.write(b"\n" * 2)
        output, words = job.communicate(timeout=DEADLINE_S)
        self.assertEqual((job.returncode, output), (0, "end\n" * 2), words)
        self.assertEqual(said, ["SigIgn:\t0000000000000007\n"] * 2)

    def test_ctrl_z_stops_ranks_and_outlasts_the_lease(self):
        job = self.start(script="echo $$")
        ranks = [int(job.stdout.readline()) for _ in range(2)]
        before = processes()
        os.kill(job.pid, signal.SIGTSTP)
        _, status = os.waitpid(job.pid, os.WUNTRACED)
        self.assertTrue(os.WIFSTOPPED(status))
        end = time.monotonic() + 2.5
        while time.monotonic() < end:  # 2.5 leases.
            self.assertEqual({rank: state_of(rank) for rank in ranks}, dict.fromkeys(ranks, "T"))
            self.assertEqual(processes(), before)
            time.sleep(0.1)
        os.killpg(job.pid, signal.SIGCONT)
        self.go.write(b"\n" * 2)
        output, words = job.communicate(timeout=DEADLINE_S)
        self.assertEqual((job.returncode, output), (0, "end\n" * 2), words)
        self.assertIn("all ranks stand still until adarun goes on", words)

    def test_a_launcher_that_dies_while_it_is_stopped_takes_its_ranks_along(self):
        job = self.start(script="echo $$")
        self.assertTrue(job.stdout.readline())
        os.kill(job.pid, signal.SIGTSTP)
        os.waitpid(job.pid, os.WUNTRACED)
        job.kill()  # Case checks that no process is left.


def state_of(pid):
    with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
        return file.read().rpartition(")")[2].split()[0]


if __name__ == "__main__":
    unittest.main()
