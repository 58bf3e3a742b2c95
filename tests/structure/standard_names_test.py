#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests standard_names.py on single headers: the missing includes it reports, and what it accepts."""
import unittest

from standard_names import findings

REFUSED = [
    "std::string name();",
    "#include <string>\nstd::size_t size(std::string text);",
    "#include <cstdint>\nstruct Rank { pid_t pid; };",
    "#include <string_view>\nvoid say(std::string text);",
    "#include <vector>\ninline std::vector<int> made(std::vector<int> all) { return std::move(all); }",
    "std::this_is_in_no_list x;",
    "no_such_t x;",
    "// #include <string>\nstd::string name();",
]

ACCEPTED = [
    "#include <string>\nstd::string name();",
    "#include <cstdint>\nstd::uint64_t count();",
    "#include <stdint.h>\nuint64_t count();",
    "#include <sys/types.h>\npid_t parent();",
    "#include <sys/stat.h>\nmode_t rights();",
    "/// A std::string.\nconst char* text = \"std::vector\";",
    "#include <pmix.h>\npmix_status_t done();",
    "int size_of(char32_t point, int my_thing);",
]


class StandardNames(unittest.TestCase):
    def test_refuses_a_name_without_its_header(self):
        for text in REFUSED:
            with self.subTest(text):
                self.assertEqual(len(findings({"base/a.h": text})), 1)

    def test_accepts_a_name_with_its_header(self):
        for text in ACCEPTED:
            with self.subTest(text):
                self.assertEqual(findings({"base/a.h": text}), [])

    def test_reads_the_headers_of_rooms_only(self):
        for path in ("base/a.cpp", "tests/base/fake.h"):
            self.assertEqual(findings({path: "std::string name();"}), [])


if __name__ == "__main__":
    unittest.main()
