#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that includes between folders have no cycle: folders.py TOP prints each cycle and exits 1 if there is one.

At each level (rooms, folders of a room, folders of those) sibling folders, each with everything below it, must not include
each other in a cycle. The files directly in the parent folder (its root) count as one more sibling. So what a root needs
is in folders below it, and what all these folders need is in one of them.
"""
import os

from sources import INCLUDE, check, in_room, included, is_cpp


def arrow(one, other):
    """(the deepest folder that contains both folders; for each, the folder directly below that holds it); None if they are
    the same. A root ends in a slash."""
    if one == other:
        return None
    a, b = one.split("/"), other.split("/")
    shared = len(os.path.commonprefix([a, b]))
    ends = ["/".join(parts[: shared + 1]) + ("/" if len(parts) == shared else "") for parts in (a, b)]
    return "/".join(a[:shared]), *ends


def arrows_of(files):
    """Level -> folder -> folder it includes -> (file, name it includes), the first of each."""
    levels = {}
    for path in sorted(filter(in_room, files)):
        for quote, name in INCLUDE.findall(files[path]) if is_cpp(path) else []:
            target = included(path, name, files.__contains__) if quote == '"' else None
            between = target and in_room(target) and arrow(os.path.dirname(path), os.path.dirname(target))
            if between:
                level, source, end = between
                levels.setdefault(level, {}).setdefault(source, {}).setdefault(end, (path, name))
    return levels


def way(arrows, start, end):
    """The shortest path along arrows from one folder to another, both included; None if there is none."""
    ways, seen = [[start]], {start}
    for taken in ways:
        if taken[-1] == end:
            return taken
        for following in arrows.get(taken[-1], {}):
            if following not in seen:
                seen.add(following)
                ways.append([*taken, following])
    return None


def circles(arrows):
    """The shortest cycles, each a list of folders that ends with its first; each set of folders once."""
    found = {}
    for source in sorted(arrows):
        for end in sorted(arrows[source]):
            back = way(arrows, end, source)
            if back:
                found.setdefault(frozenset(back), [source, *back])
    return list(found.values())


def findings(files):
    found = []
    for _, arrows in sorted(arrows_of(files).items()):
        for circle in circles(arrows):
            found.append(f"circle: {' -> '.join(circle)}")
            for source, end in zip(circle, circle[1:]):
                path, name = arrows[source][end]
                found.append(f'    {source} -> {end}: {path} includes "{name}"')
    return found


if __name__ == "__main__":
    check(findings, "no circles")
