# SPDX-License-Identifier: Apache-2.0
"""adarun's own streams: closed standard streams, readers that go away or do not read, a full disk."""
import glob
import os
import signal
import subprocess
import unittest

from e2e import DEADLINE_S, Case, adarun, adarun_command, events, hosts, job_file, start

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


if __name__ == "__main__":
    unittest.main()
