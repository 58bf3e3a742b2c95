#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs those tests of a GoogleTest program that one of its sources defines: run_source.py PROGRAM SOURCE.

For programs that take long to start: one start serves all tests of a source. Fails if one of them is not in the program or
is disabled; exits 77, which ctest shows as skipped, if one was skipped.

run_source.py PROGRAM SOURCE SOURCE... runs none, and fails if the program has a test that is found in none of these.
"""
import re
import subprocess
import sys

SKIPPED = 77


def tests_of(source):
    """The tests that a source defines, by their names "Suite.Name": whether they have parameters."""
    with open(source, encoding="utf-8") as text:
        found = re.findall(r"^TEST(_[FP])?\(\s*(\w+),\s*(\w+)\)", text.read(), re.MULTILINE)
    return {f"{suite}.{name}": kind == "_P" for kind, suite, name in found}


def run(program, source):
    tests = tests_of(source)
    names = [f"*/{name}/*" if has_parameters else name for name, has_parameters in tests.items()]
    begun, skipped = set(), False
    with subprocess.Popen([program, f"--gtest_filter={':'.join(names)}"], stdout=subprocess.PIPE, text=True,
                          errors="replace") as running:
        for line in running.stdout:
            print(line, end="", flush=True)
            begun.update(re.findall(r"^\[ RUN      \] (?:\w+/)?(\w+\.\w+)", line))
            skipped = skipped or line.startswith("[  SKIPPED ]")
    missing = set(tests) - begun
    if running.returncode != 0 or missing or not tests:
        sys.exit(f"{source}: status {running.returncode}, not run: {' '.join(sorted(missing)) or 'none'}")
    sys.exit(SKIPPED if skipped else 0)


def require_all(program, sources):
    listed = subprocess.run([program, "--gtest_list_tests"], stdout=subprocess.PIPE, text=True, check=True).stdout
    in_program, suite = set(), ""
    for line in listed.splitlines():
        if re.match(r"\S+\.( |$)", line):
            suite = line.split()[0].split("/")[-1]
        elif line.startswith("  "):
            in_program.add(suite + line.split()[0].split("/")[0])
    left_out = in_program.difference(*map(tests_of, sources))
    if left_out or not in_program:
        sys.exit(f"{program}: in none of its sources as TEST(), TEST_F() or TEST_P(): {' '.join(sorted(left_out))}")


if len(sys.argv) == 3:
    run(*sys.argv[1:])
else:
    require_all(sys.argv[1], sys.argv[2:])
