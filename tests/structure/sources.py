# SPDX-License-Identifier: Apache-2.0
"""Lists and reads the files of the tree for the checks of this folder, and splits C++ files into code and comments."""
import os
import re
import sys

ROOMS = ("adasum", "base", "cli", "launcher", "monitor", "ranktable", "templates", "trainer")
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(["<])([^">]+)[">]', re.MULTILINE)
LITERAL = r'R"(?P<raw>\w*)\(.*?\)(?P=raw)"|"(?:[^"\\\n]|\\.)*"|(?<!\w)\'(?:[^\'\\\n]|\\.)+\''
COMMENT = r"//[^\n]*|/\*.*?\*/"
PART = re.compile(rf"(?P<literal>{LITERAL})|(?P<comment>{COMMENT})", re.DOTALL)


def in_room(path):
    return path.startswith(tuple(room + "/" for room in ROOMS))


def is_cpp(path):
    return path.endswith((".h", ".cpp", ".c", ".cc"))


def is_source(path, first_bytes):
    """Whether a file is a source of ours. Templates (.in) are not: users get their text."""
    if path.startswith("templates/") and path.endswith(".in"):
        return False
    return is_cpp(path) or path.endswith((".py", ".sh")) or first_bytes == b"#!"


def paths_of(top):
    """Path from the top of every file; builds, logs and hidden folders are left out."""
    for folder, folders, names in os.walk(top):
        relative = os.path.relpath(folder, top)
        folders[:] = [f for f in folders if f == ".ci" or not f.startswith((".", "__", "log_output", "adarun-demo"))]
        if relative == ".":
            folders[:] = [f for f in folders if f not in ("build", "dist")]
        yield from (os.path.normpath(os.path.join(relative, name)) for name in names)


def read(top, path):
    with open(os.path.join(top, path), "rb") as file:
        return file.read()


def source_files(top):
    """Path from the top -> text, of every source file and script."""
    contents = {path: read(top, path) for path in paths_of(top)}
    return {path: content.decode() for path, content in contents.items() if is_source(path, content[:2])}


def check(findings, nothing):
    """What a check does: prints findings(source files of the folder that the first argument names), a line each, and exits 1;
    if there are none, prints `nothing` and exits 0."""
    found = findings(source_files(sys.argv[1]))
    print("\n".join(found) or nothing)
    sys.exit(1 if found else 0)


def code_of(text):
    """A C++ file without its comments, literals and include lines."""
    return PART.sub(lambda part: '""' if part["literal"] else " ", INCLUDE.sub("", text))


def comments_of(text):
    """(line number, text) of each comment of a C++ file."""
    for part in PART.finditer(text):
        if part["comment"]:
            yield text.count("\n", 0, part.start()) + 1, part["comment"]


def included(path, name, exists):
    """The path from the top of what a file includes by `name` in quotes, or None if it is no file of ours. A name that is no
    path from the top is looked up in the file's own folder."""
    beside = os.path.normpath(os.path.join(os.path.dirname(path), name))
    return next((candidate for candidate in (name, beside) if exists(candidate)), None)
