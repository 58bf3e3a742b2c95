#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that messages on the pages exist: messages.py TOP prints those that no source file has and exits 1 if there are any.

A message is a line of docs/troubleshooting.md that is indented by four; on other pages a line "adarun: ..." of a block
(below a command with a prompt tests/docs compares it with what is printed). Words in capitals, numbers, nodes and paths
are placeholders; the text between them, and between punctuation, must be in the string literals of the sources, unless
it is a message of the system.
"""
import errno
import glob
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "docs"))

from commands import blocks  # noqa: E402
from sources import read, source_files  # noqa: E402

ROOMS = ("base", "cli", "launcher")
LEAST = 12  # Shorter pieces are not checked.
NAMES = r"\bnode(?:\d+\b|\[\S+?\])|\S*/\S*|\b\d{8}-\d{6}-\w+"  # Nodes, paths, jobs.
SEPARATOR = re.compile(NAMES + r'|"?\b(?:[A-Z]{2,}[A-Z_]*|N|\d[\d.]*(?: \w+)?)\b"?|[:;,()]|\.{3}')
PUT_TOGETHER = {"the last line of rank"}  # Assembled at run time: "line", or "20 lines".
SYSTEM = {os.strerror(code) for code in errno.errorcode}


def literals_of(text):
    """All string literals of a source, adjacent ones as one."""
    joined = re.sub(r'(?<!\\)"\s*\n?\s*"', "", text)
    return "\n".join(re.findall(r'"((?:[^"\\\n]|\\.)*)"', joined)).replace('\\"', '"')


def pieces_of(message):
    pieces = [piece.strip() for piece in SEPARATOR.split(message)]
    return [piece for piece in pieces if len(piece) >= LEAST and piece not in SYSTEM | PUT_TOGETHER]


def shown(page):
    """The messages of adarun in a page's blocks, except blocks with a prompt."""
    free = [block.lines for block in blocks(page) if not any(line.startswith("$ ") for line in block.lines)]
    return [line.removeprefix("adarun: ") for lines in free for line in lines if re.match("adarun: (?! )", line)]


def messages_of(top):
    """(page, message)"""
    for path in sorted(glob.glob(os.path.join(top, "docs/**/*.md"), recursive=True)):
        name = os.path.relpath(path, top)
        page = read(top, name).decode()
        catalogue = name == "docs/troubleshooting.md"
        found = [line[4:] for line in page.splitlines() if line.startswith("    ")] if catalogue else shown(page)
        yield from ((name, message) for message in found)


def main():
    top = sys.argv[1]
    literals = "\n".join(literals_of(text) for path, text in source_files(top).items()
                         if path.partition("/")[0] in ROOMS and path.endswith((".cpp", ".h")))
    found = [(page, piece) for page, message in messages_of(top) for piece in pieces_of(message) if piece not in literals]
    print("\n".join(f"{page}: nobody says \"{piece}\"" for page, piece in found) or "nothing wrong")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
