#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the trainer loads at its start: libraries_test.py PROGRAM."""
import subprocess
import sys
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


if __name__ == "__main__":
    unittest.main()
