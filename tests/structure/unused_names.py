#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that a source uses the names it gives to others' things: unused_names.py TOP prints each `using a::b;`,
`using b = ...;` and `namespace b = ...;` of a .cpp file that says b nowhere else, and exits 1 if there is one.

No compiler here warns of them, and clang-tidy looks for them only in the main file, of which a unity build has none.
"""
import re

from sources import check, code_of

DECLARATION = re.compile(
    r"^[ \t]*(?:using[ \t]+(?:typename[ \t]+)?(?:::)?(?:\w+::)+(?P<one>\w+)[ \t]*;"
    r"|(?:using|namespace)[ \t]+(?P<other>\w+)[ \t]*=)", re.MULTILINE)
CONSTRUCTORS = re.compile(r"\busing\b[^;]*\b(\w+)::\1[ \t]*;")


def findings(files):
    found = []
    for path, text in sorted(files.items()):
        if path.endswith(".cpp"):
            code = CONSTRUCTORS.sub(";", code_of(text))
            names = [match["one"] or match["other"] for match in DECLARATION.finditer(code)]
            found += [f"{path}: {name}: declared by using or namespace, and not used"
                      for name in names if len(re.findall(rf"\b{name}\b", code)) == names.count(name)]
    return found


if __name__ == "__main__":
    check(findings, "every name declared by using or namespace is used")
