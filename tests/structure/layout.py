#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the source tree against the design: layout.py TOP prints what is wrong and exits 1 if something is; layout.py prints ARROWS
as docs/architecture.md has them.

- A room includes only itself and the rooms in ARROWS, and docs/architecture.md shows these.
- An outside library is included only by the files in HOMES.
- Each source file and script names its licence in its first two lines and has at most 500 lines.
- No C++ file, but for the trainer's, uses what clang 14 cannot compile with the library of g++ 12: views and subranges.
"""
import fnmatch
import re
import sys

from sources import INCLUDE, included, is_cpp, read, source_files

MAX_LINES = 500
LICENCE = "SPDX-License-Identifier: Apache-2.0"

# Room -> rooms that it may include besides itself. The room of a path is the longest one that is a prefix of it.
ARROWS = {
    "base": [],
    "base/log": ["base"],
    "base/manual": ["base"],
    "cli": ["base", "base/log", "base/manual", "launcher", "launcher/protocol", "ranktable", "monitor", "templates",
            "trainer/planner"],
    "launcher": ["base", "base/log", "launcher/protocol", "ranktable"],
    "launcher/agent": ["base", "launcher/protocol"],
    "launcher/protocol": ["base"],
    "trainer": ["adasum", "base", "base/log", "base/manual", "ranktable", "trainer/planner"],
    "trainer/planner": ["base"],
    "adasum": [],
    "monitor": ["base", "base/log"],
    "ranktable": ["base"],
    "templates": [],
}

# Outside headers -> the files (patterns; * crosses folders) that may include them.
HOMES = [
    (r"CLI/", ["base/manual/*", "cli/*", "trainer/base/whole_number_option.h", "trainer/options/*",
               "trainer/data_tools/command.cpp", "trainer/profile/profile.cpp"]),
    (r"libssh/", ["launcher/transport/*"]),
    (r"openssl/", ["launcher/transport/ssh/known_hosts.*", "launcher/transport/ssh/static_libssh.c",
                  "launcher/transport/ssh/config/settings.cpp"]),
    (r"pmix|hwloc", ["launcher/agent/*"]),
    (r"httplib", ["monitor/web/*"]),
    (r"mpi\.h$", ["adasum/communicators/mpi_*", "adasum/c/adasum_mpi.h"]),
    (r"torch/|ATen/|c10/", ["trainer/*"]),
    (r"jpeglib\.h$", ["trainer/data/images/jpeg.cpp"]),
    (r"png\.h$", ["trainer/data/images/png.cpp"]),
    (r"hwy/", ["adasum/kernels/*"]),
    (r"sodium\.h$", ["adasum/sockets/link.cpp", "adasum/sockets/secret.cpp"]),
    (r"re2/", ["monitor/parse/line_pattern.cpp"]),
    (r"spdlog/|fmt/", ["base/log/*.cpp"]),
    (r"nlohmann/", ["cli/*.cpp", "launcher/*.cpp", "monitor/*.cpp", "ranktable/*.cpp", "trainer/*.cpp", "trainer/planner/json/*"]),
]

# The agent must run with only libc installed (PMIx and hwloc are loaded if present).
LIBC_ONLY = ["base", "launcher/agent", "launcher/protocol"]
NOT_IN_AGENT = re.compile(r"nlohmann/|spdlog/|zstd|zlib|boost/")

SUBRANGES = re.compile(r"std::(views\b|ranges::(unique|remove|remove_if|partition|stable_partition|rotate|equal_range|search"
                       r"|search_n|find_end|subrange)\b)")


def room_of(path):
    """The room a file is in, or None outside the rooms (tests, bench: they may include everything)."""
    rooms = [room for room in ARROWS if path.startswith(room + "/")]
    return max(rooms, key=len, default=None)


def matches(path, patterns):
    return any(fnmatch.fnmatch(path, pattern) for pattern in patterns)


def include_findings(path, text, exists):
    """What is wrong with the includes of one file; `exists` says whether a path relative to the top is a file."""
    room = room_of(path)
    if room is None:
        return []
    findings = []
    for quote, name in INCLUDE.findall(text):
        target = room_of(quote == '"' and included(path, name, exists) or name)
        if target not in (None, room, *ARROWS[room]):
            findings.append(f'{path}: includes "{name}": no arrow leads from {room} to {target}')
        for pattern, homes in HOMES:
            if target is None and re.match(pattern, name) and not matches(path, homes):
                findings.append(f"{path}: includes <{name}>, which has its home in {', '.join(homes)}")
        if target is None and room in LIBC_ONLY and NOT_IN_AGENT.match(name):
            findings.append(f"{path}: includes <{name}>: the agent needs nothing but libc")
    return findings


def form_findings(path, text):
    """What is wrong with the form of one file: its licence line and its length."""
    lines = text.splitlines()
    findings = []
    if not any(LICENCE in line for line in lines[:2]):
        findings.append(f'{path}: "{LICENCE}" is not in its first two lines')
    if len(lines) > MAX_LINES:
        findings.append(f"{path}: {len(lines)} lines, at most {MAX_LINES}: find the seam")
    if is_cpp(path) and not re.search("trainer/(?!planner/)", path) and (used := SUBRANGES.search(text)):
        findings.append(f"{path}: {used[0]}: clang 14 cannot compile it")
    return findings


def findings(files):
    found = []
    for path in sorted(files):
        found += include_findings(path, files[path], files.__contains__)
        found += form_findings(path, files[path])
    return found


def arrows_text():
    """ARROWS as the block of docs/architecture.md."""
    width = max(map(len, ARROWS))
    return "".join(f"    {room:<{width}} -> {', '.join(ARROWS[room]) or 'nothing'}\n" for room in ARROWS)


def page_findings(page):
    return [] if arrows_text() in page else [f"docs/architecture.md: its arrows are not these (tests/structure/layout.py):\n{arrows_text()}"]


def main():
    if len(sys.argv) == 1:
        sys.exit(print(arrows_text(), end=""))
    files = source_files(sys.argv[1])
    if not any(room_of(path) for path in files):
        sys.exit(f"{sys.argv[1]}: no source file of any room in it")
    found = findings(files) + page_findings(read(sys.argv[1], "docs/architecture.md").decode())
    print("\n".join(found) if found else f"{len(files)} files, nothing wrong")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
