# SPDX-License-Identifier: Apache-2.0
"""Checks that links of pages into the source lead to an existing file and heading, and that every page is linked to; and that
docs/protocol.md lists every message with its type number in launcher/protocol/messages.h."""
import os
import re
import unittest

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")
STARTS = {"README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md"}


def text_of(path):
    with open(os.path.join(SOURCE, path), encoding="utf-8") as file:
        return file.read()


def pages():
    """Every page of the source, except in build folders."""
    found = []
    for folder, inner, names in os.walk(SOURCE):
        inner[:] = [name for name in inner if not name.startswith(".") and name not in ("build", "dist", "node_modules")]
        found += [os.path.relpath(os.path.join(folder, name), SOURCE) for name in names if name.endswith(".md")]
    return sorted(found)


def running_text(markdown):
    """The text without fenced blocks and code."""
    return re.sub(r"`[^`\n]*`", "", re.sub(r"(?ms)^```.*?^```", "", markdown))


def anchor_of(heading):
    """The anchor that GitHub makes for a heading."""
    plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading.strip())
    return re.sub(r"[^\w\- ]", "", plain.lower()).replace(" ", "-")


def anchors_of(markdown):
    return {anchor_of(heading) for heading in re.findall(r"(?m)^#+ (.*)$", re.sub(r"(?ms)^```.*?^```", "", markdown))}


def links_of(path):
    """(target as written, target file, anchor) of each link into the source."""
    for target in LINK.findall(running_text(text_of(path))):
        if not re.match(r"[a-z]+:", target):
            name, _, anchor = target.partition("#")
            yield target, os.path.normpath(os.path.join(os.path.dirname(path), name)) if name else path, anchor


class Links(unittest.TestCase):
    maxDiff = None

    def test_lead_somewhere(self):
        wrong, count = [], 0
        for path in pages():
            for target, file, anchor in links_of(path):
                count += 1
                if not os.path.exists(os.path.join(SOURCE, file)):
                    wrong.append(f"{path}: {target}: there is no {file}")
                elif anchor and anchor not in anchors_of(text_of(file)):
                    wrong.append(f"{path}: {target}: {file} has no such heading")
        self.assertEqual(wrong, [])
        self.assertGreater(count, 50)

    def test_reach_every_page(self):
        linked = {file for path in pages() for _, file, _ in links_of(path)}
        self.assertEqual([path for path in pages() if path not in linked | STARTS], [])

    def test_a_heading_has_the_anchor_that_github_gives_it(self):
        self.assertEqual(anchor_of("What `adarun check` says, and why?"), "what-adarun-check-says-and-why")
        self.assertEqual(anchors_of("# A\n```\n# no\n```\n## gen --compare\n"), {"a", "gen---compare"})


def types_in(cells):
    """The numbers of "8, 9", or of "21 - 26"."""
    first, dash, last = cells.partition(" - ")
    return list(range(int(first), int(last) + 1)) if dash else [int(each) for each in cells.split(",")]


class Protocol(unittest.TestCase):
    def test_the_page_has_every_type(self):
        variant = re.search(r"using Message =\s*std::variant<(.*?)>;", text_of("launcher/protocol/messages.h"), re.DOTALL)
        wanted = dict(enumerate(re.findall(r"\w+", variant[1])))
        self.assertGreater(len(wanted), 30)
        told = {}
        for numbers, names in re.findall(r"(?m)^\| (\d[\d, -]*) \| ([A-Z][\w, ]*) \| \w", text_of("docs/protocol.md")):
            told.update(zip(types_in(numbers), names.split(", "), strict=True))
        self.assertEqual(told, wanted)

    def test_the_page_has_the_first_line(self):
        line = re.search(r'"adarun-agent (\d+)\\n"', text_of("launcher/protocol/frame.h"))
        self.assertIn(f"`\\x01adarun-agent {line[1]}\\n`", text_of("docs/protocol.md"))
