#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests the commit that --version prints: commit_test.py CMAKE SCRIPT."""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

CMAKE, SCRIPT = sys.argv[1:]
del sys.argv[1:]
GIT = shutil.which("git")
AUTHOR = ["-c", "user.name=n", "-c", "user.email=e", "-c", "commit.gpgsign=false", "-c", "core.hooksPath=/dev/null"]


class Commit(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="adarun-commit-")
        self.addCleanup(shutil.rmtree, self.folder)
        self.header = f"{self.folder}/commit.h"
        self.source = f"{self.folder}/source"
        os.mkdir(self.source)
        self.write("file", "one\n")

    def write(self, name, text):
        with open(f"{self.source}/{name}", "w", encoding="utf-8") as file:
            file.write(text)

    def git(self, *arguments):
        return subprocess.run([GIT, "-C", self.source, *AUTHOR, *arguments], check=True, capture_output=True, text=True,
                              timeout=30, env={"PATH": os.environ["PATH"], "HOME": self.folder}).stdout.strip()

    def commit(self):
        self.git("init", "--quiet")
        self.git("add", "file")
        self.git("commit", "--quiet", "--message", "m")
        return self.git("rev-parse", "--short=12", "HEAD")

    def found(self, source=None, git=GIT, **env):
        """The commit that the header gives for a source folder."""
        subprocess.run([CMAKE, f"-DGIT={git}", f"-DSOURCE={source or self.source}", f"-DOUTPUT={self.header}", "-P", SCRIPT],
                       check=True, timeout=30, env={**os.environ, "HOME": self.folder, **env})
        with open(self.header, encoding="utf-8") as file:
            return re.search(r'commit = "(.*)";', file.read())[1]

    def test_nothing_is_said_outside_of_git(self):
        self.assertEqual(self.found(), "")

    @unittest.skipUnless(GIT, "skipped: git is not installed")
    def test_a_working_tree_has_its_commit_and_says_whether_it_was_changed(self):
        commit = self.commit()
        self.assertEqual(self.found(), commit)
        self.write("new", "not ours\n")
        self.assertEqual(self.found(), commit)
        self.write("file", "two\n")
        self.assertEqual(self.found(), f"{commit}, changed")

    @unittest.skipUnless(GIT, "skipped: git is not installed")
    def test_a_tarball_inside_another_repository_is_none_of_its_commits(self):
        self.commit()
        os.mkdir(f"{self.source}/unpacked")
        self.assertEqual(self.found(f"{self.source}/unpacked"), "")

    @unittest.skipUnless(GIT, "skipped: git is not installed")
    def test_a_repository_that_the_environment_names_does_not_count(self):
        commit = self.commit()
        self.assertEqual(self.found(GIT_DIR="/nowhere"), commit)

    @unittest.skipUnless(GIT, "skipped: git is not installed")
    def test_without_git_or_a_first_commit_nothing_is_said(self):
        self.git("init", "--quiet")
        self.assertEqual(self.found(), "")
        self.commit()
        self.assertEqual(self.found(git="ADARUN_GIT-NOTFOUND"), "")

    @unittest.skipUnless(GIT, "skipped: git is not installed")
    def test_the_same_commit_leaves_the_header_as_it_is(self):
        self.commit()
        self.found()
        before = os.stat(self.header)
        os.utime(self.header, ns=(1, 1))
        self.found()
        after = os.stat(self.header)
        self.assertEqual((after.st_ino, after.st_mtime_ns), (before.st_ino, 1))


if __name__ == "__main__":
    unittest.main(verbosity=2)
