# SPDX-License-Identifier: Apache-2.0
"""adarun's own streams: closed standard streams, readers that go away or do not read, a full disk. Signals to a job: those that
the parent of adarun ignores, Ctrl-Z, and one that comes while adarun hangs."""
import contextlib
import ctypes
import glob
import os
import signal
import subprocess
import time

from e2e import DEADLINE_S, Case, adarun, adarun_command, await_that, events, hosts, job_file, processes, start, state_of

PIPE_BYTES = 65536  # capacity of a pipe


def logged_bytes(folder):
    return sum(os.path.getsize(path) for path in glob.glob(os.path.join(folder, "worker_*.log")))


class StandardStreams(Case):
    def test_works_with_all_of_them_closed(self):
        words = adarun_command("launch", "--hosts", hosts(1), "--", "sh", "-c", "echo out; echo err >&2")
        done = subprocess.run(["sh", "-c", 'exec "$@" <&- >&- 2>&-', "sh", *words], timeout=DEADLINE_S, check=False)
        self.assertEqual(done.returncode, 0)
        for rank in (0, 1):
            self.assertEqual(sorted(self.log_of(rank).splitlines()), ["err", "out"])
        self.assertGreater(len(events()), 4)

    def test_a_reader_that_leaves_ends_the_job(self):
        script = "while echo line; do :; done"
        with start("launch", "--hosts", hosts(1), "--", "sh", "-c", script) as job:
            self.assertEqual(job.stdout.readline(), "line\n")
            job.stdout.close()
            words = job.stderr.read()
            self.assertEqual(job.wait(DEADLINE_S), 128 + signal.SIGPIPE, words)
        self.assertIn("nobody reads the output any more", words)
        self.assertEqual(job_file("log_output")["state"], "interrupted")

    def ends_though_nobody_reads(self, command):
        """Runs adarun with a stdout that stays open and is never read; returns status and stderr."""
        reading, writing = os.pipe()
        self.addCleanup(os.close, reading)
        with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=writing, stderr=subprocess.PIPE,
                              text=True) as job:
            os.close(writing)
            words = job.communicate(timeout=DEADLINE_S)[1]
        return job.returncode, words

    def test_a_reader_that_stands_still_does_not_hold_up_the_timeout(self):
        # The timeout counts from the start of adarun: on a busy machine it may end before ranks have filled the pipe. In
        # that case the next job gets a longer timeout.
        for timeout_s in (2, 8, 32):
            status, words = self.ends_though_nobody_reads(
                adarun_command("launch", "--timeout", f"{timeout_s}s", "--hosts", hosts(1), "--", "yes"))
            self.assertEqual(status, 124, words)
            self.assertIn("out of time", words)
            self.assertEqual(job_file("log_output")["state"], "failed")
            if logged_bytes("log_output") > PIPE_BYTES:
                break
        self.assertIn("not all output could be written", words)

    def test_a_reader_that_stands_still_does_not_hold_up_a_signal(self):
        script = 'head -c 1000000 /dev/zero; kill -TERM "$1"; sleep 60'
        words = adarun_command("launch", "--via", "local", "--hosts", "here:1", "--", "sh", "-c", script, "sh")
        status, words = self.ends_though_nobody_reads(["sh", "-c", 'exec "$@" $$', "sh", *words])
        self.assertEqual(status, 128 + signal.SIGTERM, words)
        self.assertIn("not all output could be written", words)
        self.assertEqual(job_file("log_output")["state"], "interrupted")

    def test_a_reader_gets_more_than_adarun_holds_for_it(self):
        script = "head -c 20000000 /dev/zero | tr '\\0' x"
        with start("launch", "--hosts", hosts(1), "--", "sh", "-c", script, stderr=None, text=False) as job:
            self.assertEqual(len(os.read(job.stdout.fileno(), 1)), 1)
            rest = job.stdout.read()
            self.assertEqual(job.wait(DEADLINE_S), 0)
        self.assertEqual(rest.count(b"x"), 40_000_000 - 1)


class FullDisk(Case):
    def test_ends_the_job_on_all_nodes_and_says_so(self):
        self.small_disk("64k")
        script = "while echo something; do :; done"
        done = adarun("launch", "--log-dir", "disk/log", "--hosts", hosts(1), "--", "sh", "-c", script).expect(125)
        self.assertRegex(done.stderr, r"disk/log/\S+: cannot write: No space left")
        ended = job_file("disk/log")
        self.assertEqual(ended["state"], "failed")
        self.assertEqual(ended["status"], 125)

    def test_a_job_that_cannot_open_its_logs_does_not_stay_running(self):
        self.small_disk("12k")
        table = ["--log-dir", "disk/log", "--hosts", hosts(8), "--via", "local"]
        done = adarun("launch", *table, "--", "true").expect(125)
        self.assertIn("No space left", done.stderr)
        self.assertEqual(job_file("disk/log")["state"], "failed")


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
