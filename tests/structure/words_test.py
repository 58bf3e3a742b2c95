#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests words.py: which names it finds, and which it lets pass."""
import unittest

from words import findings


class Words(unittest.TestCase):
    def assert_found(self, code, count):
        self.assertEqual(len(findings({"launcher/a.h": code})), count, code)

    def test_finds_a_type_by_its_whole_name(self):
        self.assert_found("class Guardian {};", 1)
        self.assert_found("class GuardianOfMore {}; class LookAt {};", 0)

    def test_finds_a_word_within_a_name(self):
        self.assert_found("int start_patience = 1; int patience_; int desk;", 3)
        self.assert_found("int impatient; int desktop;", 0)

    def test_reads_no_comments_and_no_texts(self):
        self.assert_found('// The Guardian.\nconst char* text = "Guardian";', 0)

    def test_looks_into_tests_but_not_into_what_is_no_source(self):
        self.assertEqual(len(findings({"tests/a_test.cpp": "int fates;", "docs/a.md": "fates", "scripts/a.py": "fates = 1"})), 1)


if __name__ == "__main__":
    unittest.main()
