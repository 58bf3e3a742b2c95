# SPDX-License-Identifier: Apache-2.0
"""What adarun itself writes to and reads from: standard streams that are closed or left, a disk that is full."""
import json
import os
import signal
import subprocess
import unittest

from e2e import DEADLINE_S, Case, adarun, adarun_command, hosts


def job_file(folder):
    with open(os.path.join(folder, "job.json"), encoding="utf-8") as file:
        return json.load(file)


class StandardStreams(Case):
    def test_works_with_all_of_them_closed(self):
        words = adarun_command("launch", "--hosts", hosts(1), "--", "sh", "-c", "echo out; echo err >&2")
        done = subprocess.run(["sh", "-c", 'exec "$@" <&- >&- 2>&-', "sh", *words], timeout=DEADLINE_S, check=False)
        self.assertEqual(done.returncode, 0)
        for rank in (0, 1):
            self.assertEqual(sorted(self.log_of(rank).splitlines()), ["err", "out"])
        with open("log_output/events.jsonl", encoding="utf-8") as file:
            self.assertGreater(len([json.loads(line) for line in file]), 4)

    def test_a_reader_that_leaves_ends_the_job(self):
        script = "while echo line; do :; done"
        command = adarun_command("launch", "--hosts", hosts(1), "--", "sh", "-c", script)
        with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              text=True) as job:
            self.assertEqual(job.stdout.readline(), "line\n")
            job.stdout.close()
            words = job.stderr.read()
            self.assertEqual(job.wait(DEADLINE_S), 128 + signal.SIGPIPE, words)
        self.assertIn("nobody reads the output any more", words)
        self.assertEqual(job_file("log_output")["state"], "interrupted")


class FullDisk(Case):
    def small_disk(self, size):
        os.mkdir("disk")
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "disk", "disk"], check=True)
        self.addCleanup(subprocess.run, ["umount", os.path.join(self.folder, "disk")], check=True)

    def test_ends_the_job_on_all_nodes_and_says_so(self):
        self.small_disk("64k")
        script = "while echo something; do :; done"
        done = adarun("launch", "--log-dir", "disk/log", "--hosts", hosts(1), "--", "sh", "-c", script)
        self.assertEqual(done.returncode, 125, done.stderr)
        self.assertRegex(done.stderr, r"worker_\d.log: cannot write: No space left")
        ended = job_file("disk/log")
        self.assertEqual(ended["state"], "failed")
        self.assertEqual(ended["status"], 125)

    def test_a_job_that_cannot_open_its_logs_does_not_stay_running(self):
        self.small_disk("12k")
        table = ["--log-dir", "disk/log", "--hosts", hosts(8), "--via", "local"]
        done = adarun("launch", *table, "--", "true")
        self.assertEqual(done.returncode, 125, done.stderr)
        self.assertIn("No space left", done.stderr)
        self.assertEqual(job_file("disk/log")["state"], "failed")


if __name__ == "__main__":
    unittest.main()
