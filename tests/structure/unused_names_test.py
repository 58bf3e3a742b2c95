#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests unused_names.py: which names it finds."""
import unittest

from unused_names import findings


class UnusedNames(unittest.TestCase):
    def assert_found(self, code, count, path="launcher/job/a.cpp"):
        self.assertEqual(len(findings({path: code})), count, code)

    def test_finds_names_that_a_file_does_not_use(self):
        self.assert_found("using std::vector;\n", 1)
        self.assert_found("  using ::adarun::launcher::Node;  // Node\n", 1)
        self.assert_found('namespace fs = std::filesystem;\nauto text = "fs";\n', 1)
        self.assert_found("using Clock = std::chrono::steady_clock;\nusing std::map;\n", 2)

    def test_lets_pass_what_is_used_and_what_names_nothing(self):
        self.assert_found("using std::vector;\nvector<int> numbers;\n", 0)
        self.assert_found("namespace fs = std::filesystem;\nfs::path path;\n", 0)
        self.assert_found("void f() {\n  using std::swap;\n  swap(a, b);\n}\nvoid g() {\n  using std::swap;\n  swap(c, d);\n}\n", 0)
        self.assert_found("struct Error : std::runtime_error {\n  using std::runtime_error::runtime_error;\n};\n", 0)
        self.assert_found("using namespace std::literals;\n", 0)

    def test_leaves_headers_alone(self):
        self.assert_found("using Answer = int;\n", 0, path="launcher/job/a.h")


if __name__ == "__main__":
    unittest.main()
