#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests which libraries the trainer loads at its start: libraries_test.py PROGRAM."""
import os
import re
import subprocess
import sys
import tempfile
import unittest

PROGRAM = sys.argv.pop(1)


def loader(*options):
    done = subprocess.run(["ldd", *options, PROGRAM], text=True, capture_output=True, check=False, timeout=60)
    return done.stdout + done.stderr


class Libraries(unittest.TestCase):
    def test_those_that_stand_in_leave_nothing_undefined(self):
        self.assertNotIn("undefined symbol", loader("-r"))
        self.assertNotIn("not found", loader())

    def test_those_that_nothing_is_called_of_are_left_out(self):
        loaded = loader()
        for name in ("libopencv_core", "libavcodec"):
            for line in loaded.splitlines():
                if name in line:
                    self.assertIn("/stand_ins/", line)
        self.assertNotIn("libQt5", loaded)
        self.assertNotIn("libgdal", loaded)

    def test_none_is_taken_from_the_current_folder(self):
        names = re.findall(r"(?m)^\t(lib\S+) => ", loader())
        self.assertIn("libmpi.so.40", names)
        with tempfile.TemporaryDirectory() as folder:
            for name in names:
                with open(os.path.join(folder, name), "wb"):
                    pass  # The loader says "file too short" and gives up.
            done = subprocess.run([PROGRAM, "--version"], cwd=folder, text=True, capture_output=True, check=False, timeout=60)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_the_wait_of_mpi_is_that_of_the_trainer(self):
        done = subprocess.run(["readelf", "--dyn-syms", "--wide", PROGRAM], text=True, capture_output=True, check=True,
                              timeout=60)
        names = [line.split() for line in done.stdout.splitlines() if line.endswith(" sched_yield")]
        self.assertEqual([line[6] == "UND" for line in names], [False], "libmpi would call that of libc")


if __name__ == "__main__":
    unittest.main()
