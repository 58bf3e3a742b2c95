#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests local_names.py: which names of two files it finds."""
import unittest

from local_names import findings

LOCAL = "namespace adarun {\nnamespace {\n%s\n}  // namespace\n}\n"


class LocalNames(unittest.TestCase):
    def assert_found(self, one, other, count, folder="launcher/job"):
        files = {f"{folder}/a.cpp": LOCAL % one, "launcher/job/b.cpp": LOCAL % other}
        self.assertEqual(len(findings(files)), count, (one, other))

    def test_finds_functions_and_types_that_two_files_have(self):
        self.assert_found("int count(int x) { return x; }", "int count(long y, int z) {\n  if (y) { return 1; }\n  return 2;\n}", 1)
        self.assert_found("struct Group { int size; };", "class Group final { int x() { return 1; } };", 1)

    def test_lets_pass_what_is_no_name_of_the_file(self):
        self.assert_found("int first() { return count(1); }", "int count(int x) { return x; }", 0)
        self.assert_found("struct A { int size() { return 1; } };", "struct B { int size() { return 2; } };", 0)
        self.assert_found("int x() { return 1; }", "int x() { return 1; }", 0, folder="launcher/plan")


if __name__ == "__main__":
    unittest.main()
