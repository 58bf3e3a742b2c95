#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests which files the Python package loads: library_test.py BUILD_FOLDER."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

BUILD = os.path.realpath(sys.argv.pop())
PACKAGE = str(pathlib.Path(__file__).resolve().parents[3] / "adasum/python/adasum")
SHOW = "import adasum; print(*sorted({line.split()[-1] for line in open('/proc/self/maps') if 'libadasum' in line}))"


class Library(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="adasum-library-")
        self.addCleanup(shutil.rmtree, self.folder)

    def plant(self, folder, *names):
        """Files with these names that are no libraries: the loader gives up at the first."""
        os.makedirs(folder, exist_ok=True)
        for name in names:
            with open(os.path.join(folder, name), "wb"):
                pass

    def imported(self, path, folder):
        """What a program in `folder` that finds the package in `path` says: files that it has loaded, or an error."""
        env = {name: value for name, value in os.environ.items() if name not in ("ADASUM_LIBRARY", "LD_LIBRARY_PATH")}
        done = subprocess.run([sys.executable, "-B", "-c", SHOW], cwd=folder, env={**env, "PYTHONPATH": path},
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60, check=False)
        return done.stdout + done.stderr

    def test_is_that_of_the_build_whatever_lies_in_the_current_folder(self):
        library = os.path.realpath(f"{BUILD}/adasum/libadasum.so.0")
        needed = re.findall(r"NEEDED.*\[(.*)\]", subprocess.run(["readelf", "-d", library], capture_output=True, text=True, check=True,
                                                                timeout=60).stdout)
        self.assertTrue(any(name.startswith("libsodium") for name in needed), needed)
        self.plant(self.folder, "libadasum.so.0", *needed)
        self.assertEqual(self.imported(f"{BUILD}/python", self.folder).strip(), library)

    def test_is_not_one_beside_a_copy_of_the_package(self):
        shutil.copytree(PACKAGE, f"{self.folder}/copy/adasum")
        for place in (self.folder, f"{self.folder}/adasum", f"{self.folder}/copy", f"{self.folder}/copy/adasum"):
            self.plant(place, "libadasum.so.0")
        said = self.imported(f"{self.folder}/copy", self.folder)
        self.assertNotIn("too short", said)
        self.assertRegex(said, r"libadasum.so.0: cannot open shared object file|^/usr/\S+\n$")


if __name__ == "__main__":
    unittest.main()
