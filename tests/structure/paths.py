#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that paths of the tree in comments and pages exist: paths.py TOP prints those that do not and exits 1.

A path begins with a top-level folder and a slash. It may have wildcards (*, {a,b}) or placeholders (NAME, <room>); only the
part before a placeholder is checked. It reads comments of C++, CMake, shell and Python, Python's texts in triple quotes,
and pages except the changelog.
"""
import glob
import os
import re
import sys

from sources import ROOMS, comments_of, is_cpp, paths_of, read

FOLDERS = (*ROOMS, "bench", "cmake", "docker", "docs", "examples", "scripts", "tests")
PATH = re.compile(rf"(?<![\w./$~{{}}<>*-])(?:{'|'.join(FOLDERS)})/[\w./*{{}},-]*[\w*}}]")
BRACES = re.compile(r"\{([^{}]*,[^{}]*)\}")
DOCSTRING = re.compile(r'"""(.*?)"""', re.DOTALL)
HASH_COMMENT = re.compile(r"(?m)(?:^|\s)#(?!include|if|define|endif|pragma|!).*$")


def expanded(path):
    """A path with its braces expanded."""
    braces = BRACES.search(path)
    if not braces:
        return [path]
    return [each for word in braces[1].split(",") for each in expanded(path[: braces.start()] + word + path[braces.end():])]


def known_part(path):
    """The part of a path before its first placeholder."""
    parts = path.split("/")
    end = next((i for i, part in enumerate(parts) if re.search("[A-Z]{2,}", part) and not part.endswith((".md", ".txt"))), None)
    return "/".join(parts[:end])


def texts_of(path, text):
    """(line number, text) of each comment, docstring or page to be checked in a file."""
    if is_cpp(path):
        yield from comments_of(text)
    elif path.endswith(".md"):
        yield 1, text
    elif path.endswith((".cmake", "CMakeLists.txt", ".sh", ".py", "dependencies.txt")) or text.startswith("#!"):
        python = path.endswith(".py") or "python" in text.partition("\n")[0]
        for words in (*HASH_COMMENT.finditer(text), *(DOCSTRING.finditer(text) if python else ())):
            yield text.count("\n", 0, words.start()) + 1, words[0]


def findings(top, paths, exists):
    found = []
    for path in paths:
        text = read(top, path).decode(errors="replace")
        for line, words in texts_of(path, text):
            for match in PATH.finditer(words):
                for each in expanded(match[0]):
                    if not exists(known_part(each)):
                        found.append(f"{path}:{line + words.count(chr(10), 0, match.start())}: {each}: not there")
    return found


def main():
    top = sys.argv[1]
    paths = sorted(path for path in paths_of(top) if path != "CHANGELOG.md" and not path.startswith("tests/fuzz/seeds/"))
    found = findings(top, paths, lambda path: bool(glob.glob(os.path.join(glob.escape(top), path))))
    print("\n".join(found) or "every path that is named is there")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
