#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests paths.py on a small tree: which paths it reports, and what it does not take as a path."""
import os
import tempfile
import unittest

from paths import findings

FILES = ("launcher/job/job.h", "launcher/job/job.cpp", "docs/a.md")


class Paths(unittest.TestCase):
    def count(self, path, text):
        with tempfile.TemporaryDirectory() as top:
            with open(os.path.join(top, os.path.basename(path)), "w", encoding="utf-8") as file:
                file.write(text)
            return len(findings(top, [os.path.basename(path)], lambda each: each in (*FILES, "launcher", "launcher/job")))

    def test_finds_what_is_not_there_in_comments_and_pages(self):
        self.assertEqual(self.count("a.cpp", "// See launcher/jobs/job.h.\n"), 1)
        self.assertEqual(self.count("a.md", "`launcher/job/gone.h`, launcher/job/job.{h,py}\n"), 2)
        self.assertEqual(self.count("a.cmake", "# docs/b.md\nset(x docs/c.md)\n"), 1)
        quotes = '"' * 3
        self.assertEqual(self.count("a.py", f'{quotes}As docs/b.md.{quotes}\nx = "docs/c.md"\n#' + " See docs/d.md.\n"), 2)

    def test_lets_pass_what_is_there(self):
        self.assertEqual(self.count("a.cpp", "// See launcher/job/job.h, and launcher/job/.\n"), 0)
        self.assertEqual(self.count("a.md", "launcher/job/job.{h,cpp} launcher/NAME/job.h\n"), 0)

    def test_takes_no_other_path_for_one_of_the_tree(self):
        self.assertEqual(self.count("a.md", "build/launcher/x /usr/docs/x ~/tests/x https://x.org/docs/x\n"), 0)
        self.assertEqual(self.count("a.cpp", 'const char* x = "docs/none";\n'), 0)


if __name__ == "__main__":
    unittest.main()
