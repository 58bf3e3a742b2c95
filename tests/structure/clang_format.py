#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that C++ files are formatted as .clang-format says: clang_format.py TOP prints the first wrong line of each file
and exits 1 if there is one; 77 (skipped) without clang-format 14. Other versions format differently."""
import re
import shutil
import subprocess
import sys

from sources import is_cpp, paths_of

PROGRAM = "clang-format-14"
FINDING = re.compile(r"(?m)^(\S+?):(\d+):\d+: error: ")


def main():
    top = sys.argv[1]
    if not shutil.which(PROGRAM):
        print(f"skipped: {PROGRAM} is not installed")
        sys.exit(77)
    files = sorted(filter(is_cpp, paths_of(top)))
    done = subprocess.run([PROGRAM, "--dry-run", "--Werror", *files], cwd=top, text=True, capture_output=True, check=False)
    first = {}
    for path, line in FINDING.findall(done.stderr):
        first.setdefault(path, line)
    if done.returncode and not first:
        sys.exit(done.stderr)
    for path, line in first.items():
        print(f"{path}:{line}: not as .clang-format wants it")
    print(f"{len(files) - len(first)} of {len(files)} files are; {PROGRAM} -i FILE... mends the others" if first
          else f"{len(files)} files, nothing wrong")
    sys.exit(1 if first else 0)


if __name__ == "__main__":
    main()
