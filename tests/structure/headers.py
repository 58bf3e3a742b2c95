#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compiles each header of a room by itself: headers.py TOP ROOM -- COMPILER FLAG...

A header that includes what it uses compiles as the only include of a file, twice over. Syntax only; prints
the compiler's words for each header that does not and exits 1.
"""
import os
import subprocess
import sys


def headers_of(top, room):
    for folder, _, names in os.walk(os.path.join(top, room)):
        for name in sorted(names):
            if name.endswith(".h"):
                yield os.path.relpath(os.path.join(folder, name), top)


def errors(header, compiler):
    """What the compiler says about a file with nothing but this header in it; empty when it is content."""
    text = f'#include "{header}"\n' * 2
    done = subprocess.run(compiler + ["-x", "c++", "-"], input=text, text=True, capture_output=True, check=False)
    return "" if done.returncode == 0 else done.stderr


def main():
    top, room, separator, *compiler = sys.argv[1:]
    assert separator == "--" and compiler
    failed = 0
    headers = sorted(headers_of(top, room))
    for header in headers:
        found = errors(header, compiler)
        if found:
            failed += 1
            print(f"{header} does not compile by itself:\n{found}")
    print(f"{room}: {len(headers) - failed} of {len(headers)} headers compile by themselves")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
