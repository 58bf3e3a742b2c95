#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs those tests of a GoogleTest program that one of its sources defines: run_source.py PROGRAM SOURCE.

For programs that take long to start: one start serves all tests of a source. Fails if one of them is not in the program or
is disabled, so that no test is left out unseen; exits 77, which ctest shows as skipped, if one was skipped.
"""
import re
import subprocess
import sys

SKIPPED = 77


def main():
    program, source = sys.argv[1:]
    with open(source, encoding="utf-8") as text:
        tests = re.findall(r"^TEST(_[FP])?\(\s*(\w+),\s*(\w+)\)", text.read(), re.MULTILINE)
    names = [f"*/{suite}.{name}/*" if kind == "_P" else f"{suite}.{name}" for kind, suite, name in tests]
    done = subprocess.run([program, f"--gtest_filter={':'.join(names)}"], stdout=subprocess.PIPE, text=True, check=False)
    sys.stdout.write(done.stdout)
    begun = set(re.findall(r"^\[ RUN      \] (?:\w+/)?(\w+\.\w+)", done.stdout, re.MULTILINE))
    missing = [f"{suite}.{name}" for _, suite, name in tests if f"{suite}.{name}" not in begun]
    if done.returncode != 0 or missing or not tests:
        sys.exit(f"{source}: status {done.returncode}, not run: {' '.join(missing) or 'none'}")
    if "[  SKIPPED ]" in done.stdout:
        sys.exit(SKIPPED)


main()
