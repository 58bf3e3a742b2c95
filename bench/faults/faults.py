#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints what a user sees of each fault in tests/e2e/faults.py. Needs root:

    tests/hosts/with_hosts 2 -- python3 bench/faults/faults.py [WORD...]

fault | what the user saw | exit status | seconds until everything had ended | processes left. With WORDs, only the
faults with one of them in their name. Runs the programs of build/release, or those in ADARUN_TEST_BIN.
"""
import os
import shutil
import sys
import tempfile

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
os.environ.setdefault("ADARUN_TEST_BIN", os.path.join(TOP, "build", "release", "bin"))
sys.path.insert(0, os.path.join(TOP, "tests", "e2e"))

from faults import FAULTS, Scene  # noqa: E402 pylint: disable=wrong-import-position


def row_of(fault):
    folder = tempfile.mkdtemp(dir=os.environ["ADARUN_TEST_SCRATCH"])
    os.chdir(folder)
    try:
        outcome = fault.act(Scene(folder))
    finally:
        os.chdir("/")
        shutil.rmtree(folder)
    line = outcome.line().replace(folder, "DIR").replace("|", r"\|") or "(nothing)"
    return f"| {fault.name} | {line} | {outcome.status} | {outcome.seconds:.1f} | {len(outcome.left)} |"


def main():
    words = sys.argv[1:]
    print("| fault | what the user saw | exit status | seconds until everything had ended | processes left |")
    print("| --- | --- | --- | --- | --- |")
    for fault in FAULTS:
        if not words or any(word in fault.name for word in words):
            print(row_of(fault), flush=True)


if __name__ == "__main__":
    main()
