#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""messages.py TOP prints which messages of docs/troubleshooting.md no source file has, and exits 1 when there are some.

A message is a line that is indented by four. Words in capitals and numbers stand for others; what is between them, and
between punctuation, must be in the string literals of the sources, unless it is the system's own.
"""
import errno
import os
import re
import sys

ROOMS = ("cli", "launcher")
LEAST = 12  # Shorter pieces prove nothing.
SEPARATOR = re.compile(r'"?\b(?:[A-Z]{2,}[A-Z_]*|N|\d[\d.]*(?: \w+)?)\b"?|[:;,()]')
SYSTEM = {os.strerror(code) for code in errno.errorcode}


def literals_of(text):
    """All string literals of a source, adjacent ones as one."""
    joined = re.sub(r'(?<!\\)"\s*\n?\s*"', "", text)
    return "\n".join(re.findall(r'"((?:[^"\\\n]|\\.)*)"', joined)).replace('\\"', '"')


def pieces_of(message):
    pieces = [piece.strip() for piece in SEPARATOR.split(message)]
    return [piece for piece in pieces if len(piece) >= LEAST and piece not in SYSTEM]


def missing(document, literals):
    """The pieces of messages that no literal has."""
    found = []
    for line in document.splitlines():
        if line.startswith("    "):
            found += [piece for piece in pieces_of(line.strip()) if piece not in literals]
    return found


def main():
    top = sys.argv[1]
    literals = ""
    for room in ROOMS:
        for folder, _, names in os.walk(os.path.join(top, room)):
            for name in names:
                if name.endswith((".cpp", ".h")):
                    with open(os.path.join(folder, name), encoding="utf-8") as file:
                        literals += literals_of(file.read()) + "\n"
    with open(os.path.join(top, "docs", "troubleshooting.md"), encoding="utf-8") as file:
        found = missing(file.read(), literals)
    print("\n".join(f"docs/troubleshooting.md: nobody says \"{piece}\"" for piece in found) or "nothing wrong")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
