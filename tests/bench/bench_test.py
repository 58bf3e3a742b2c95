#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs a benchmark with its smallest sizes, so that none stops working unseen: bench_test.py NAME BIN. NAME "all" checks that
each folder of bench/ is among those of smallest.py."""
import os
import shutil
import subprocess
import sys

from smallest import NOT_RUN, SMALLEST

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SKIPPED = 77


def missing_folders():
    """Folders of bench/ that no entry names."""
    known = {bench.command.split("/")[1] for bench in SMALLEST.values()} | set(SMALLEST) | set(NOT_RUN)
    return sorted(name for name in os.listdir(os.path.join(TOP, "bench"))
                  if os.path.isdir(os.path.join(TOP, "bench", name)) and name not in known)


def run(bench, folder):
    for program in bench.needs:
        if shutil.which(program) is None:
            print(f"skipped: no {program}", file=sys.stderr)
            return SKIPPED
    done = subprocess.run(bench.command.format(bin=folder).split(), cwd=TOP, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, text=True, check=False)
    print(done.stdout)
    if done.returncode == 0 and bench.shows not in done.stdout:
        print(f"{bench.command}: does not print: {bench.shows}", file=sys.stderr)
        return 1
    return done.returncode


def main():
    if sys.argv[1] != "all":
        return run(SMALLEST[sys.argv[1]], sys.argv[2])
    missing = missing_folders()
    print(f"not in tests/bench/smallest.py: {', '.join(missing)}" if missing else "all are there")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
