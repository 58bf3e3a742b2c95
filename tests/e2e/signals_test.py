#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Signals to a job: those that the parent of adarun ignores, Ctrl-Z, and one that comes while adarun hangs."""
import contextlib
import ctypes
import os
import signal
import subprocess
import time
import unittest

from e2e import DEADLINE_S, Case, adarun_command, await_that, hosts, processes, state_of


class Signals(Case):
    def setUp(self):
        super().setUp()
        self.go = self.fifo()

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
        self.assertIn("all ranks are suspended until adarun continues", words)

    def test_ends_the_ranks_though_adarun_stands_still(self):
        job = self.start(script=f"trap 'echo >>{self.folder}/told; exit' TERM; echo $$")
        for _ in range(2):
            self.assertTrue(job.stdout.readline())
        with main_thread_held(job.pid):
            job.send_signal(signal.SIGTERM)
            await_that(lambda: os.path.exists("told") and os.path.getsize("told") >= 2, "the ranks were not told to end")
        _, words = job.communicate(timeout=DEADLINE_S)
        self.assertEqual(job.returncode, 128 + signal.SIGTERM, words)
        self.assertIn("adarun: interrupted by SIGTERM, but adarun hangs", words)
        self.assertRegex(words, r"adarun: interrupted by SIGTERM\n(.*\n)*adarun: ranks 0-1 on node\S+: stopped by adarun\n")

    def test_a_launcher_that_dies_while_it_is_stopped_takes_its_ranks_along(self):
        job = self.start(script="echo $$")
        self.assertTrue(job.stdout.readline())
        os.kill(job.pid, signal.SIGTSTP)
        os.waitpid(job.pid, os.WUNTRACED)
        job.kill()  # Case checks that no process is left.


@contextlib.contextmanager
def main_thread_held(pid):
    """Stops the main thread of a child, as a write to a file system does that does not answer; its other threads continue."""
    seize, interrupt, detach = 0x4206, 0x4207, 17
    ptrace = ctypes.CDLL(None, use_errno=True).ptrace
    ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
    for request in seize, interrupt:
        if ptrace(request, pid, None, None) != 0:
            raise OSError(ctypes.get_errno(), "ptrace")
    os.waitpid(pid, os.WUNTRACED)
    try:
        yield
    finally:
        ptrace(detach, pid, None, None)


if __name__ == "__main__":
    unittest.main()
