#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that each header of some rooms compiles by itself: headers.py TOP ROOM... -- COMPILER FLAG...

A header that includes what it uses compiles as the only include of a file, even if included twice. To save time many are
compiled as one file, chosen so that none gets a missing include from another (batches.py). Checks syntax only; prints the
compiler's messages for each batch that does not compile, and exits 1.
"""
import concurrent.futures
import subprocess
import sys

from batches import batches, read_headers
from sources import source_files

AT_ONCE = 2  # Compilers at once; equals PROCESSORS of its test.


def errors(batch, compiler):
    """The compiler's messages for a file that includes only these headers; empty if it compiles."""
    text = "".join(f'#include "{path}"\n#include "{path}"\n' for path in batch)
    done = subprocess.run(compiler + ["-x", "c++", "-"], input=text, text=True, capture_output=True, check=False)
    return "" if done.returncode == 0 else done.stderr


def main():
    separator = sys.argv.index("--")
    top, *rooms = sys.argv[1:separator]
    compiler = sys.argv[separator + 1:]
    assert rooms and compiler
    files = source_files(top)
    folders = tuple(room + "/" for room in rooms)
    headers = read_headers({path: files[path] for path in files if path.startswith(folders)})
    divided = batches(headers)
    with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as threads:
        found = list(filter(None, threads.map(lambda batch: errors(batch, compiler), divided)))
    print("\n".join(found) or f"{len(headers)} headers in {len(divided)} batches compile by themselves")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
