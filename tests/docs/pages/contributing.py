# SPDX-License-Identifier: Apache-2.0
"""CONTRIBUTING.md: its commands are not run, since each installs and builds everything."""
from cases import not_run

CASES = [not_run(command, "it installs, builds and tests everything") for command in
         ("scripts/test", "scripts/test asan", "scripts/test clang-dev", "scripts/fuzz 60 hosts", "scripts/coverage",
          "scripts/matrix", "scripts/build")]
