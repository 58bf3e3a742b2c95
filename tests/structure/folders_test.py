#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests folders.py on small trees: the cycles it finds, and what it accepts."""
import unittest

from folders import findings


def tree(*arrows):
    """Path -> text from (path, path that it includes) pairs."""
    files = {}
    for path, name in arrows:
        files[path] = files.get(path, "") + f'#include "{name}"\n'
        files.setdefault(name, "")
    return files


REFUSED = {
    "between a root and a folder": ([("monitor/watch.h", "monitor/view/text.h"), ("monitor/view/text.h", "monitor/error.h")],
                                    "monitor/ -> monitor/view -> monitor/"),
    "between two folders": ([("monitor/detect/rule.h", "monitor/view/text.h"), ("monitor/view/rows.cpp", "monitor/detect/rule.h")],
                            "monitor/detect -> monitor/view -> monitor/detect"),
    "of three": ([("cli/a/a.h", "cli/b/b.h"), ("cli/b/b.h", "cli/c/c.h"), ("cli/c/c2.h", "cli/a/a2.h")],
                 "cli/a -> cli/b -> cli/c -> cli/a"),
    "two levels down": ([("launcher/agent/mpi/mpi.h", "launcher/agent/mpi/pmi/pmi.h"),
                         ("launcher/agent/mpi/pmi/pmi.h", "launcher/agent/mpi/mpi.h")],
                        "launcher/agent/mpi/ -> launcher/agent/mpi/pmi -> launcher/agent/mpi/"),
    "through what is below": ([("launcher/agent/mpi/mpi.h", "launcher/transport/link.h"),
                               ("launcher/transport/ssh/ssh.h", "launcher/agent/agent.h")],
                              "launcher/agent -> launcher/transport -> launcher/agent"),
    "between rooms": ([("adasum/tree.h", "trainer/train.h"), ("trainer/models/model.h", "adasum/c/adasum.h")],
                      "adasum -> trainer -> adasum"),
}

ACCEPTED = {
    "within one folder": [("cli/a.h", "cli/b.h"), ("cli/b.h", "cli/a.h")],
    "from the root down": [("launcher/agent/agent.h", "launcher/agent/ranks/rank.h"),
                           ("launcher/agent/ranks/rank.h", "launcher/agent/base/error.h")],
    "tests of what includes them": [("tests/cli/a_test.cpp", "cli/a.h"), ("cli/a.h", "tests/cli/fake.h")],
}


class Folders(unittest.TestCase):
    def test_names_each_circle_and_an_include_for_each_of_its_arrows(self):
        for name, (arrows, circle) in REFUSED.items():
            with self.subTest(name):
                found = findings(tree(*arrows))
                self.assertEqual(found[0], f"circle: {circle}")
                self.assertEqual(len(found), circle.count("->") + 1)
                for line, (path, target) in zip(found[1:], arrows):
                    self.assertTrue(line.endswith(f': {path} includes "{target}"'), line)

    def test_accepts_includes_in_one_direction(self):
        for name, arrows in ACCEPTED.items():
            with self.subTest(name):
                self.assertEqual(findings(tree(*arrows)), [])

    def test_takes_a_name_without_a_folder_from_the_file_s_own_folder(self):
        files = {"cli/a/a.h": '#include "b.h"\n', "cli/a/b.h": '#include "../c/c.h"\n', "cli/c/c.h": '#include "../a/a.h"\n'}
        self.assertEqual(findings(files)[0], "circle: cli/a -> cli/c -> cli/a")


if __name__ == "__main__":
    unittest.main()
