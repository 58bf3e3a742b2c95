#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that names in anonymous namespaces are unique within a folder: local_names.py TOP prints those that several files
have and exits 1 if there is one.

The sources of a folder are compiled many at a time (unity build): a function of the same name with other parameters in a
sibling file would be an overload, which the compiler might choose without a warning.
"""
import os
import re

from sources import check, code_of, in_room

ANONYMOUS = re.compile(r"\bnamespace\s*\{")
FUNCTION = re.compile(r"(?<![:\w.])([a-z]\w*)\s*\([^;{}]*\)[^;{}()]*\{\}")
TYPE = re.compile(r"\b(?:struct|class|enum(?: class)?)\s+(\w+)[^;{}()]*\{\}")
ALONE = ("trainer/main.cpp",)  # Not compiled with others.


def blocks(code):
    """The code of each anonymous namespace, with inner braces emptied."""
    for start in ANONYMOUS.finditer(code):
        depth, text = 1, []
        for char in code[start.end():]:
            depth += (char == "{") - (char == "}")
            if depth == 0:
                break
            if depth == 1 or (depth == 2 and char == "{"):
                text.append("{}" if char == "{" else "" if char == "}" else char)
        yield "".join(text)


def names_of(text):
    """The functions and types in the anonymous namespaces of a file."""
    names = set()
    for block in blocks(code_of(text)):
        names |= {*FUNCTION.findall(block), *TYPE.findall(block)}
    return names


def findings(files):
    owners = {}
    for path in sorted(files):
        if path.endswith(".cpp") and in_room(path) and not path.startswith(ALONE):
            for name in names_of(files[path]):
                owners.setdefault((os.path.dirname(path), name), []).append(path)
    return [f"{folder}: {name}: in {' and '.join(map(os.path.basename, paths))}"
            for (folder, name), paths in sorted(owners.items()) if len(paths) > 1]


if __name__ == "__main__":
    check(findings, "no file has a local name of a file beside it")
