# SPDX-License-Identifier: Apache-2.0
"""Compares each Chinese page with its English one (tutorial.zh.md with tutorial.md), section by section: both have the same
headings, samples, commands, tables and links."""
import os
import re
import unittest
from dataclasses import dataclass, field
from itertools import zip_longest

from links_test import LINK, SOURCE, pages, text_of

ENDING = ".zh.md"


@dataclass
class Section:
    """A heading and what is below it, as pairs (line number, what is compared). Only code and links have no order, since that
    of the words in a sentence differs."""
    start: tuple
    samples: list = field(default_factory=list)
    rows: list = field(default_factory=list)
    text: str = ""

    @property
    def code(self):
        """Code in sentences; a placeholder such as <its id> may be translated."""
        return {re.sub("<[^>]*>", "<>", code) for code in re.findall(r"`[^`]*`", self.text)}

    @property
    def links(self):
        return sorted(LINK.findall(self.text))


def sections_of(markdown):
    """The sections; what is above the first heading is one, too."""
    found, fenced, indented, blank = [Section((1, ""))], False, False, True
    for number, line in enumerate(markdown.splitlines(), 1):
        fence = line.startswith("```")
        indented = line.startswith("    ") and (indented or blank)
        if fenced or fence or indented:
            found[-1].samples.append((number, line))
        elif line.startswith("#"):
            level, _, title = line.partition(" ")
            found.append(Section((number, f"{level} {re.match('[0-9.]*', title)[0]}"), text=title + " "))
        else:
            if line.startswith("|"):
                columns = line.replace("\\|", "").count("|") - 1
                found[-1].rows.append((number, f"{columns} columns"))
            found[-1].text += line.strip() + " "
        fenced ^= fence
        blank = not line
    return found


def counterpart(target, page):
    """What a link of an English page has to lead to in its Chinese page."""
    name, hash_sign, anchor = target.partition("#")
    chinese = name.removesuffix(".md") + ENDING
    if name == os.path.basename(page).removesuffix(".md") + ENDING:
        return os.path.basename(page)
    if name.endswith(".md") and os.path.exists(os.path.join(SOURCE, os.path.dirname(page), chinese)):
        return chinese  # Its anchors are other ones.
    return name + hash_sign + anchor


def first_difference(english, chinese):
    """The first two of these pairs that differ, or None."""
    return next(((e, c) for e, c in zip_longest(english, chinese, fillvalue=("end", "nothing")) if e[1] != c[1]), None)


def differences(page, english, chinese):
    """How a Chinese page differs from its English page, a line each."""
    other = page.removesuffix(".md") + ENDING
    english, chinese = sections_of(english), sections_of(chinese)

    def said(pair):
        return f"{page}:{pair[0][0]}: {pair[0][1]!r}, but {other}:{pair[1][0]}: {pair[1][1]!r}"

    pair = first_difference([each.start for each in english], [each.start for each in chinese])
    if pair:
        return [f"heading: {said(pair)}"]
    found = []
    for e, c in zip(english, chinese):
        for what in ("samples", "rows"):
            pair = first_difference(getattr(e, what), getattr(c, what))
            found += [f"{what}: {said(pair)}"] if pair else []
        links = sorted(counterpart(link, page) for link in e.links)
        ours = sorted(link.partition("#")[0] if link.partition("#")[0].endswith(ENDING) else link for link in c.links)
        for what, left, right in (("code", e.code, c.code), ("links", links, ours)):
            if left != right:
                lacks = sorted(set(left) ^ set(right)) or "as often"
                found.append(f"{what}: {page}:{e.start[0]} and {other}:{c.start[0]} do not both have {lacks}")
    return found


class Translations(unittest.TestCase):
    maxDiff = None

    def test_have_what_the_english_pages_have(self):
        translated = [path for path in pages() if path.endswith(ENDING)]
        self.assertGreaterEqual(len(translated), 1)
        found = []
        for path in translated:
            page = path.removesuffix(ENDING) + ".md"
            found += differences(page, text_of(page), text_of(path))
        self.assertEqual(found, [])


ENGLISH = """# One
English | [zh](a.zh.md)

Type `adarun ps` in `logs.<its id>`, [more](b.md#there).

    $ adarun ps
    none

## 2. Two

| a | b |
| --- | --- |
| `x\\|y` | 1 |
"""
CHINESE = """# 一
[en](a.md) | 中文

在 `logs.<作业 ID>` 中（[更多](b.md#there)）运行 `adarun ps`。

    $ adarun ps
    none

## 2. 二

| 甲 | 乙 |
| --- | --- |
| `x\\|y` | 1 |
"""


class Differences(unittest.TestCase):
    def test_are_none_where_only_the_words_differ(self):
        self.assertEqual(differences("docs/a.md", ENGLISH, CHINESE), [])

    def test_are_told_with_both_lines(self):
        for old, new, wanted in (
                ("## 2. 二", "### 2. 二", "heading: docs/a.md:9: '## 2.', but docs/a.zh.md:9: '### 2.'"),
                ("## 2. 二", "## 3. 二", "heading: docs/a.md:9: '## 2.', but docs/a.zh.md:9: '## 3.'"),
                ("## 2. 二\n", "", "heading: docs/a.md:9: '## 2.', but docs/a.zh.md:end: 'nothing'"),
                ("    none", "    没有", "samples: docs/a.md:7: '    none', but docs/a.zh.md:7: '    没有'"),
                ("    none\n", "", "samples: docs/a.md:7: '    none', but docs/a.zh.md:end: 'nothing'"),
                ("`adarun ps`", "`adarun`", "code: docs/a.md:1 and docs/a.zh.md:1 do not both have ['`adarun ps`', '`adarun`']"),
                ("| 1 |", "| 1 | 2 |", "rows: docs/a.md:13: '2 columns', but docs/a.zh.md:13: '3 columns'"),
                ("| --- | --- |\n", "", "rows: docs/a.md:13: '2 columns', but docs/a.zh.md:end: 'nothing'"),
                ("b.md#there", "b.md", "links: docs/a.md:1 and docs/a.zh.md:1 do not both have ['b.md', 'b.md#there']"),
                ("[en](a.md)", "en", "links: docs/a.md:1 and docs/a.zh.md:1 do not both have ['a.md']")):
            with self.subTest(new=new):
                self.assertIn(old, CHINESE)
                self.assertEqual(differences("docs/a.md", ENGLISH, CHINESE.replace(old, new)), [wanted])

    def test_a_link_leads_to_the_same_language(self):
        self.assertEqual(counterpart("tutorial.md#1-keys", "docs/launch.md"), "tutorial.zh.md")
        self.assertEqual(counterpart("launch.md#x", "docs/tutorial.md"), "launch.md#x")
        self.assertEqual(counterpart("tutorial.zh.md", "docs/tutorial.md"), "tutorial.md")
