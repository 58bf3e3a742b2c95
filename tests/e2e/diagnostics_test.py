#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""adarun.log, the diagnostic log of a job, and what -v and -vv show of it."""
import os
import re
import stat
import unittest

from e2e import Case, adarun, hosts, launch, lines_of, read

LINE = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z (debug|info|warning|error) +(\S+) (.+)")
SECRET = "hunter2-hunter2"


class Diagnostics(Case):
    def lines(self, folder="log_output"):
        """(level, node, text) of each line; fails if a line has another form."""
        found = [LINE.fullmatch(line) for line in lines_of(os.path.join(folder, "adarun.log"))]
        self.assertNotIn(None, found)
        return [match.groups() for match in found]

    def texts(self, level, node, folder="log_output"):
        return [text for each, whose, text in self.lines(folder) if (each, whose) == (level, node)]

    def test_a_job_is_logged_with_time_level_and_node_though_nobody_asks(self):
        done = launch("--", "true", hosts=hosts(2))
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
        for node in ("node1", "node2"):
            steps = " ".join(self.texts("debug", node))
            for step in ("address: ", "link: exchange keys (connect took ", "link: log in (exchange keys took ",
                         "link: logged in as root by key 1 of ours, ", "Hello: ", "agent: 2 processes forked in ", "Done"):
                self.assertIn(step, steps)
            self.assertEqual(len([text for text in self.texts("info", node) if text.startswith("connected after ")]), 1)
        self.assertIn("exit status 0", " ".join(self.texts("debug", "-")))
        self.assertEqual(stat.S_IMODE(os.stat("log_output/adarun.log").st_mode), 0o644)

    def test_verbose_shows_steps_and_twice_all_of_them(self):
        once = launch("-v", "--", "true", hosts=hosts(1))
        self.assertIn("adarun: node1: connected after ", once.stderr)
        self.assertNotIn("link: ", once.stderr)
        twice = launch("-vv", "--", "true", hosts=hosts(1))
        self.assertIn("adarun: node1: connected after ", twice.stderr)
        self.assertIn("adarun: node1: link: log in (exchange keys took ", twice.stderr)
        before = adarun("-v", "launch", "--hosts", hosts(1), "--", "true")
        self.assertIn("adarun: node1: connected after ", before.stderr)
        asked = adarun("check", "-vv", "--hosts", hosts(1))
        self.assertIn("adarun: node1: link: log in (exchange keys took ", asked.stderr)

    def test_each_run_of_a_job_has_its_own_and_keeps_it(self):
        script = "[ $ADARUN_RESTART_COUNT = 1 ] || { echo gone; exit 7; }"
        launch("--restarts", 1, "--restart-delay", "1ms", "--", "sh", "-c", script, hosts=hosts(1, "node1")).expect(0)
        old, = (name for name in os.listdir() if name.startswith("log_output."))
        self.assertIn("restart 1 of 1", " ".join(self.texts("warning", "-", old)))
        self.assertIn("exit status 7", " ".join(self.texts("debug", "-", old)))
        self.assertIn("exit status 0", " ".join(self.texts("debug", "-")))

    def test_no_secret_is_in_it(self):
        done = launch("--env", f"MY_TOKEN={SECRET}", "--", "sh", "-c", "echo $MY_TOKEN; exit 3", "sh", f"--password={SECRET}",
                      hosts=hosts(1)).expect(3)
        self.assertIn(SECRET, done.stderr)  # The rank printed it, and its output is shown unchanged.
        self.assertGreater(len(self.lines()), 10)
        self.assertNotIn(SECRET, read("log_output/adarun.log"))


if __name__ == "__main__":
    unittest.main()
