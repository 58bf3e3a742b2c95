# SPDX-License-Identifier: Apache-2.0
"""Checks that docs/protocol.md lists every message with its type number in launcher/protocol/messages.h."""
import os
import re
import unittest

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def read(path):
    with open(os.path.join(SOURCE, path), encoding="utf-8") as file:
        return file.read()


def types_in(cells):
    """The numbers of "8, 9", or of "21 - 26"."""
    first, dash, last = cells.partition(" - ")
    return list(range(int(first), int(last) + 1)) if dash else [int(each) for each in cells.split(",")]


class Protocol(unittest.TestCase):
    def test_the_page_has_every_type(self):
        variant = re.search(r"using Message =\s*std::variant<(.*?)>;", read("launcher/protocol/messages.h"), re.DOTALL)
        wanted = dict(enumerate(re.findall(r"\w+", variant[1])))
        self.assertGreater(len(wanted), 30)
        told = {}
        for numbers, names in re.findall(r"(?m)^\| (\d[\d, -]*) \| ([A-Z][\w, ]*) \| \w", read("docs/protocol.md")):
            told.update(zip(types_in(numbers), names.split(", "), strict=True))
        self.assertEqual(told, wanted)

    def test_the_page_has_the_first_line(self):
        line = re.search(r'"adarun-agent (\d+)\\n"', read("launcher/protocol/frame.h"))
        self.assertIn(f"`\\x01adarun-agent {line[1]}\\n`", read("docs/protocol.md"))
