#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests hardening.py with libraries that are linked with good and bad search paths: hardening_test.py [COMPILER]."""
import os
import subprocess
import sys
import tempfile
import unittest

from hardening import loaded_files, readelf, search_path_findings

COMPILER = "c++"
GOOD = ("", "/opt/lib", "$ORIGIN", "$ORIGIN:/opt/lib:/usr/lib")
BAD = {"/opt/lib:": [""], ":::": [""], "/opt/lib::/usr/lib": [""], "lib": ["lib"], "/a:./b:../c": ["./b", "../c"],
       "$ORIGIN/../lib": ["$ORIGIN/../lib"]}


class SearchPaths(unittest.TestCase):
    def findings(self, path, *options):
        with tempfile.TemporaryDirectory() as folder:
            rpath = [f"-Wl,-rpath,{path}"] if path else []
            subprocess.run([COMPILER, "-shared", "-o", f"{folder}/library.so", "-x", "c", "/dev/null", *rpath, *options], check=True,
                           timeout=60)
            os.symlink("library.so", f"{folder}/link.so")
            with open(f"{folder}/text", "w", encoding="utf-8") as text:
                text.write("no ELF file")
            [library] = loaded_files(folder)
            return search_path_findings(readelf(library, "--dynamic"))

    def test_may_have_absolute_folders_and_that_of_the_file(self):
        for path in GOOD:
            self.assertEqual(self.findings(path), [], path)

    def test_may_not_have_the_current_folder_or_one_beside_the_file(self):
        for path, folders in BAD.items():
            for tags in ("-Wl,--enable-new-dtags", "-Wl,--disable-new-dtags"):
                self.assertEqual(self.findings(path, tags),
                                 [f"looks for libraries in \"{folder}\"" for folder in folders], path)


if __name__ == "__main__":
    COMPILER = sys.argv.pop() if len(sys.argv) > 1 else COMPILER
    unittest.main()
