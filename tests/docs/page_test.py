#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs every command of a page, in order, on test hosts: page_test.py PAGE.

PAGE is a page's path in the source ("docs/launch.md"), or "help" and "trainer-help" for the examples of every --help
of the two programs. PAGES of a file in pages/ prepares what the commands need, and lists those that are changed, fail or
are not run, each with the reason. The test fails if a command fails that is not listed, or if the page lacks a listed
command.

The lines below a command with a prompt are a sample of its output: samples.py compares the two. Lines that the test's
nodes do not print are listed with the reason as well. Samples of commands that are not run are not compared.
"""
import importlib
import os
import re
import sys
from dataclasses import replace

FOLDER = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.path.dirname(os.path.dirname(FOLDER))
sys.path[:0] = [FOLDER, os.path.join(SOURCE, "tests", "e2e")]

import commands  # noqa: E402
import e2e  # noqa: E402
import helps  # noqa: E402
from cases import Case  # noqa: E402
from samples import difference  # noqa: E402
from shell import Shell  # noqa: E402

PAGE = sys.argv.pop() if len(sys.argv) > 1 else "docs/launch.md"


def described(page):
    """What a file in pages/ says of a page."""
    names = sorted(name.removesuffix(".py") for name in os.listdir(os.path.join(FOLDER, "pages")) if name.endswith(".py"))
    found = [pages[page] for name in names if page in (pages := importlib.import_module(f"pages.{name}").PAGES)]
    assert len(found) == 1, f"{page} is described {len(found)} times"
    return found[0]


def commands_of(page):
    program = {"help": "adarun", "trainer-help": "adarun-trainer"}.get(page)
    if program:
        return [command for words in helps.all_commands(program) for command in commands.commands_of_help(helps.help_of(words))]
    with open(os.path.join(SOURCE, page), encoding="utf-8") as file:
        return commands.commands_of_page(file.read())


def with_cases(typed, cases):
    """Each command with its case, which is removed from `cases`. A command that another one prints joins its sample."""
    found = []
    for command in typed:
        case = next((case for case in cases if case.command == command.text), Case(command.text))
        if case in cases:
            cases.remove(case)  # A command that is on the page twice needs two cases.
        if case.printed:
            printer, its_case = found[-1]
            found[-1] = (replace(printer, sample=(*printer.sample, f"$ {command.text}", *command.sample)), its_case)
        else:
            found.append((command, case))
    return found


class Page(e2e.Case):
    def test_every_command_does_what_is_said(self):
        page = described(PAGE)
        typed = commands_of(PAGE)
        self.assertGreater(len(typed), 0)
        cases = list(page.cases)
        self.substitutes = page.substitutes
        self.unlikes = page.unlikes
        self.used = set()
        self.shell = Shell(self.folder, SOURCE)
        self.shell.prepare(page.setting)
        counts = {"run": 0, "run in other words": 0, "not run": 0, "compared": 0}
        for command, case in with_cases(typed, cases):
            with self.subTest(line=command.line, command=command.text):
                counts[self.try_out(command, case)] += 1
                counts["compared"] += bool(command.sample and not case.skip)
        self.assertEqual([case.command for case in cases], [], "listed, but not on the page")
        unused = [each.words for each in self.substitutes if each.words not in self.used]
        self.assertEqual(unused, [], "words to substitute that no command has")
        self.assertEqual([each.line for each in self.unlikes if each not in self.used], [], "lines that no sample has")
        self.shell.prepare(page.tidying)
        self.shell.take_down()
        print(f"{PAGE}: {len(typed)} commands: " + ", ".join(f"{count} {how}" for how, count in counts.items() if count))

    def try_out(self, command, case):
        """Runs a command as its case says; returns "run", "run in other words" or "not run"."""
        if case.skip:
            return "not run"
        words = case.run or command.text
        for substitute in self.substitutes:
            if substitute.words in words:
                self.used.add(substitute.words)
                words = words.replace(substitute.words, substitute.by.format(folder=self.folder))
        self.compare(command, self.expect(case, words))
        return "run" if words == command.text else "run in other words"

    def expect(self, case, words):
        """Runs a command, checks its status and output against its case; returns the output."""
        if case.before:
            self.shell.prepare(case.before)
        status, said = self.shell.run(words, case.until)
        self.assertEqual(status, case.status, f"{words}\n{said}")
        if case.shows:
            self.assertRegex(said, re.compile(case.shows, re.MULTILINE), words)
        return said

    def compare(self, command, said):
        if command.sample:
            found, used = difference(command.sample, said, self.unlikes)
            self.used |= used
            if found:
                self.fail(found)


if __name__ == "__main__":
    e2e.unittest.main()
