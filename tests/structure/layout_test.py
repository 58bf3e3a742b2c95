#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests layout.py on small trees: what it refuses, and what it accepts."""
import unittest

from layout import arrows_text, findings, page_findings

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
                self.assertEqual(len(findings(tree(file, ("cli/arguments/command.h", "")))), 1)

    def test_accepts_includes_along_the_arrows(self):
        for file in ACCEPTED:
            with self.subTest(file):
                self.assertEqual(findings(tree(file)), [])

    def test_takes_a_name_without_a_folder_from_the_file_s_own_folder(self):
        self.assertEqual(findings(tree(("monitor/a.cpp", '#include "b.h"'), ("monitor/b.h", ""))), [])

    def test_wants_the_arrows_on_their_page(self):
        self.assertEqual(page_findings(f"# Architecture\n\n{arrows_text()}\nRest."), [])
        self.assertEqual(len(page_findings("# Architecture\n")), 1)

    def test_refuses_a_file_without_its_licence(self):
        self.assertEqual(len(findings({"cli/main.cpp": "int main() {}\n"})), 1)
        self.assertEqual(findings({"scripts/demo": "#!/bin/sh\n# SPDX-License-Identifier: Apache-2.0\n"}), [])

    def test_refuses_a_file_of_more_than_500_lines(self):
        self.assertEqual(findings({"cli/main.cpp": SPDX + "\n" * 499}), [])
        self.assertEqual(len(findings({"cli/main.cpp": SPDX + "\n" * 500})), 1)

    def test_refuses_what_clang_14_cannot_compile(self):
        for used, refused in (("std::ranges::unique(a)", 1), ("std::views::iota", 1), ("std::ranges::sort(a)", 0)):
            self.assertEqual(len(findings({"cli/main.cpp": f"{SPDX}\n{used};\n"})), refused, used)


if __name__ == "__main__":
    unittest.main()
