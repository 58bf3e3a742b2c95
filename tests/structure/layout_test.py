# SPDX-License-Identifier: Apache-2.0
"""Tests layout.py, folders.py and paths.py on small trees: what they refuse, and what they accept."""
import os
import tempfile
import unittest

import folders
import layout
import paths

SPDX = "// SPDX-License-Identifier: Apache-2.0\n"


def tree(*files):
    """Path -> text from (path, include line) pairs, each with its licence."""
    return {path: SPDX + include + "\n" for path, include in files}


REFUSED = [
    ("ranktable/operations/convert.cpp", '#include "launcher/plan/plan.h"'),
    ("ranktable/operations/convert.cpp", '#include "monitor/series.h"'),
    ("ranktable/operations/convert.cpp", '#  include "../../cli/arguments/command.h"'),
    ("monitor/watch.h", '#include "ranktable/model/table.h"'),
    ("adasum/tree.h", '#include "trainer/train.h"'),
    ("trainer/train.cpp", '#include "launcher/plan/plan.h"'),
    ("launcher/plan/plan.cpp", '#include "cli/arguments/command.h"'),
    ("launcher/plan/plan.cpp", '#include "launcher/agent/ranks/rank.h"'),
    ("launcher/agent/ranks/rank.cpp", '#include "launcher/plan/plan.h"'),
    ("launcher/agent/ranks/rank.cpp", '#include "ranktable/model/table.h"'),
    ("launcher/protocol/frame.cpp", '#include "launcher/plan/plan.h"'),
    ("base/unix_socket.cpp", '#include "launcher/protocol/frame.h"'),
    ("cli/commands/train.cpp", '#include "trainer/options/options.h"'),
    ("cli/commands/launch.cpp", '#include "launcher/agent/ranks/rank.h"'),
    ("launcher/plan/plan.cpp", "#include <CLI/CLI.hpp>"),
    ("trainer/train.cpp", "#include <CLI/CLI.hpp>"),
    ("launcher/plan/plan.cpp", "#include <libssh/libssh.h>"),
    ("launcher/plan/plan.cpp", "#include <pmix.h>"),
    ("launcher/plan/plan.cpp", "#include <hwloc.h>"),
    ("monitor/view/screen.cpp", "#include <httplib.h>"),
    ("trainer/main.cpp", "#include <mpi.h>"),
    ("adasum/tree.cpp", "#include <mpi.h>"),
    ("adasum/tree.cpp", "#include <torch/types.h>"),
    ("ranktable/model/table.h", "#include <nlohmann/json.hpp>"),
    ("adasum/tree.cpp", "#include <nlohmann/json.hpp>"),
    ("ranktable/operations/convert.cpp", "#include <spdlog/spdlog.h>"),
    ("cli/commands/launch.cpp", "#include <spdlog/spdlog.h>"),
    ("base/log/log.h", "#include <spdlog/spdlog.h>"),
    ("base/log/log.cpp", '#include "launcher/base/error.h"'),
    ("launcher/agent/agent.cpp", '#include "base/log/log.h"'),
    ("launcher/protocol/frame.cpp", '#include "base/log/log.h"'),
    ("launcher/agent/ranks/rank.cpp", "#include <nlohmann/json.hpp>"),
    ("launcher/protocol/frame.cpp", "#include <zstd.h>"),
    ("base/wall_clock.h", "#include <zstd.h>"),
]

ACCEPTED = [
    ("cli/commands/launch.cpp", '#include "launcher/plan/plan.h"'),
    ("cli/commands/launch.cpp", '#include "monitor/series.h"'),
    ("cli/commands/launch.cpp", "#include <CLI/CLI.hpp>"),
    ("trainer/options/parse.cpp", "#include <CLI/CLI.hpp>"),
    ("base/log/log.cpp", "#include <spdlog/logger.h>"),
    ("cli/commands/launch.cpp", '#include "base/log/log.h"'),
    ("launcher/plan/plan.cpp", '#include "ranktable/model/table.h"'),
    ("launcher/job/job.cpp", '#include "launcher/protocol/frame.h"'),
    ("launcher/agent/ranks/rank.cpp", '#include "launcher/protocol/frame.h"'),
    ("launcher/agent/ranks/rank.cpp", '#include "base/wall_clock.h"'),
    ("launcher/transport/ssh/ssh_session.cpp", "#include <libssh/libssh.h>"),
    ("launcher/agent/mpi/pmix/server.cpp", "#include <pmix_server.h>"),
    ("adasum/communicators/mpi_communicator.cpp", "#include <mpi.h>"),
    ("adasum/plan.cpp", '#include "adasum/communicators/communicator.h"'),
    ("trainer/train.cpp", '#include "adasum/plan.h"'),
    ("trainer/train.cpp", "#include <torch/torch.h>"),
    ("ranktable/parse.cpp", "#include <nlohmann/json.hpp>"),
    ("tests/launcher/plan/plan_test.cpp", '#include "cli/arguments/command.h"'),
    ("bench/launch/hello.c", "#include <mpi.h>"),
]


class Layout(unittest.TestCase):
    def test_refuses_includes_against_the_arrows_and_libraries_away_from_home(self):
        for file in REFUSED:
            with self.subTest(file):
                self.assertEqual(len(layout.findings(tree(file, ("cli/arguments/command.h", "")))), 1)

    def test_accepts_includes_along_the_arrows(self):
        for file in ACCEPTED:
            with self.subTest(file):
                self.assertEqual(layout.findings(tree(file)), [])

    def test_takes_a_name_without_a_folder_from_the_file_s_own_folder(self):
        self.assertEqual(layout.findings(tree(("monitor/a.cpp", '#include "b.h"'), ("monitor/b.h", ""))), [])

    def test_wants_the_arrows_on_their_page(self):
        self.assertEqual(layout.page_findings(f"# Architecture\n\n{layout.arrows_text()}\nRest."), [])
        self.assertEqual(len(layout.page_findings("# Architecture\n")), 1)

    def test_refuses_a_file_without_its_licence(self):
        self.assertEqual(len(layout.findings({"cli/main.cpp": "int main() {}\n"})), 1)
        self.assertEqual(layout.findings({"scripts/demo": "#!/bin/sh\n# SPDX-License-Identifier: Apache-2.0\n"}), [])

    def test_refuses_a_file_of_more_than_500_lines(self):
        self.assertEqual(layout.findings({"cli/main.cpp": SPDX + "\n" * 499}), [])
        self.assertEqual(len(layout.findings({"cli/main.cpp": SPDX + "\n" * 500})), 1)

    def test_refuses_what_clang_14_cannot_compile(self):
        for used, refused in (("std::ranges::unique(a)", 1), ("std::views::iota", 1), ("std::ranges::sort(a)", 0)):
            self.assertEqual(len(layout.findings({"cli/main.cpp": f"{SPDX}\n{used};\n"})), refused, used)


def including(*arrows):
    """Path -> text from (path, path that it includes) pairs."""
    files = {}
    for path, name in arrows:
        files[path] = files.get(path, "") + f'#include "{name}"\n'
        files.setdefault(name, "")
    return files


CIRCLES = {
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

STRAIGHT = {
    "within one folder": [("cli/a.h", "cli/b.h"), ("cli/b.h", "cli/a.h")],
    "from the root down": [("launcher/agent/agent.h", "launcher/agent/ranks/rank.h"),
                           ("launcher/agent/ranks/rank.h", "launcher/agent/base/error.h")],
    "tests of what includes them": [("tests/cli/a_test.cpp", "cli/a.h"), ("cli/a.h", "tests/cli/fake.h")],
}


class Folders(unittest.TestCase):
    def test_names_each_circle_and_an_include_for_each_of_its_arrows(self):
        for name, (arrows, circle) in CIRCLES.items():
            with self.subTest(name):
                found = folders.findings(including(*arrows))
                self.assertEqual(found[0], f"circle: {circle}")
                self.assertEqual(len(found), circle.count("->") + 1)
                for line, (path, target) in zip(found[1:], arrows):
                    self.assertTrue(line.endswith(f': {path} includes "{target}"'), line)

    def test_accepts_includes_in_one_direction(self):
        for name, arrows in STRAIGHT.items():
            with self.subTest(name):
                self.assertEqual(folders.findings(including(*arrows)), [])

    def test_takes_a_name_without_a_folder_from_the_file_s_own_folder(self):
        files = {"cli/a/a.h": '#include "b.h"\n', "cli/a/b.h": '#include "../c/c.h"\n', "cli/c/c.h": '#include "../a/a.h"\n'}
        self.assertEqual(folders.findings(files)[0], "circle: cli/a -> cli/c -> cli/a")


FILES = ("launcher/job/job.h", "launcher/job/job.cpp", "docs/a.md")


class Paths(unittest.TestCase):
    def count(self, path, text):
        with tempfile.TemporaryDirectory() as top:
            with open(os.path.join(top, os.path.basename(path)), "w", encoding="utf-8") as file:
                file.write(text)
            return len(paths.findings(top, [os.path.basename(path)], lambda each: each in (*FILES, "launcher", "launcher/job")))

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
