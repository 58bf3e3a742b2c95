#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests batches.py and headers.py: headers_test.py [COMPILER]. A header that lacks an include is never put behind the
header it lacks; planted defects are found by compiling."""
import os
import sys
import tempfile
import unittest

from batches import batches, read_headers
from headers import errors

COMPILER = "c++"
ONCE = "#pragma once\n"

# A declaration, and a header that needs it without including it. The latter is named z.h, so that it would come second.
NEEDS = {
    "a type": ("namespace adarun { struct Rank {}; }", "namespace adarun { Rank first(); }"),
    "a type with bases": ("namespace adarun { class Rank final : Base<int> {}; }", "namespace adarun { Rank first(); }"),
    "an alias": ("namespace adarun { using Ranks = int; }", "namespace adarun { Ranks all(); }"),
    "a function": ("namespace adarun { int count(int (*of)(int)); }", "namespace adarun { inline int n = count({}); }"),
    "a template": ("namespace adarun { template <typename T> T sum(T x); }", "namespace adarun { inline int n = sum(1); }"),
    "a constant": ("namespace adarun { constexpr int kMost[2] = {1, 2}; }", "namespace adarun { int n[kMost[0]]; }"),
    "a concept": ("template <typename T> concept Small = sizeof(T) == 1;", "template <Small T> T least();"),
    "a macro": ("#define ADASUM_API(x) \\\n  x", "ADASUM_API(int) all();"),
    "a declaration": ("namespace CLI { class App; }", "void add(CLI::App& app);"),
    "a definition behind a declaration": ("namespace a { struct App { int x; }; }", "namespace a { struct App; int x(App& app); }"),
    "a name of another namespace": ("namespace adarun::base { struct Fd {}; }", "namespace adarun::cli { base::Fd in(); }"),
    "a name in extern C": ('extern "C" { int adasum_init(); }', "inline int n = adasum_init();"),
}


def batches_of(files):
    return batches(read_headers({path: ONCE + text for path, text in files.items()}))


class Batches(unittest.TestCase):
    def test_put_no_header_behind_one_that_it_needs_and_does_not_include(self):
        for name, (needed, needing) in NEEDS.items():
            with self.subTest(name):
                self.assertIn(["base/z.h"], batches_of({"base/a.h": needed, "base/z.h": needing}))

    def test_put_no_header_behind_one_that_includes_what_it_needs(self):
        files = {"base/a.h": "struct Rank {};", "base/b.h": '#include "base/a.h"\n', "base/c.h": '#include "base/d.h"\nRank first();',
                 "base/d.h": ""}
        divided = batches_of(files)
        self.assertNotEqual([batch for batch in divided if "base/a.h" in batch], [batch for batch in divided if "base/c.h" in batch])
        self.assertNotEqual([batch for batch in divided if "base/b.h" in batch], [batch for batch in divided if "base/c.h" in batch])

    def test_put_together_what_includes_what_it_needs(self):
        files = {"base/a.h": "struct Rank {};", "base/b.h": '#include "a.h"\nRank first();', "base/c.h": "struct Node { int rank; };"}
        self.assertEqual(batches_of(files), [["base/a.h", "base/c.h", "base/b.h"]])

    def test_put_names_of_other_namespaces_together(self):
        files = {"base/a.h": "namespace a { struct Error {}; }", "base/b.h": "namespace b { struct Error {}; void f(Error); }"}
        self.assertEqual(batches_of(files), [["base/a.h", "base/b.h"]])

    def test_keep_users_of_an_outside_library_apart(self):
        files = {"base/a.h": "#include <CLI/CLI.hpp>\n", "base/b.h": "#include <string>\n", "base/c.h": '#include "base/a.h"\n'}
        self.assertEqual(batches_of(files), [["base/a.h", "base/c.h"], ["base/b.h"]])


class Compiling(unittest.TestCase):
    def compiled(self, files):
        """The compiler's messages for a tree with these headers."""
        with tempfile.TemporaryDirectory() as top:
            os.mkdir(os.path.join(top, "base"))
            for path, text in files.items():
                with open(os.path.join(top, path), "w", encoding="utf-8") as file:
                    file.write(text)
            divided = batches(read_headers(files))
            return "".join(errors(batch, [COMPILER, "-std=c++20", "-w", "-fsyntax-only", "-I" + top]) for batch in divided)

    def test_accepts_headers_that_compile_by_themselves(self):
        self.assertEqual(self.compiled({"base/a.h": ONCE + "struct Rank {};",
                                        "base/b.h": ONCE + '#include "base/a.h"\nRank first();'}), "")

    def test_finds_that_an_include_is_missing(self):
        self.assertIn("Rank", self.compiled({"base/a.h": ONCE + "struct Rank {};", "base/b.h": ONCE + "Rank first();"}))

    def test_finds_that_a_guard_is_missing(self):
        self.assertIn("redefinition", self.compiled({"base/a.h": "struct Rank {};"}))


if __name__ == "__main__":
    COMPILER = sys.argv.pop() if len(sys.argv) > 1 else COMPILER
    unittest.main()
