#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests the manual pages that a program writes during the build: man_test.py PROGRAM FOLDER."""
import os
import re
import shutil
import sys
import unittest

from e2e import read, run

FOLDER = sys.argv.pop()
PROGRAM = sys.argv.pop()
BIN = os.environ["ADARUN_TEST_BIN"]
LOOK = {"MANWIDTH": "120", "LC_ALL": "C.UTF-8"}


def help_of(words):
    return run(f"{BIN}/{PROGRAM}", *words, "--help", env=LOOK).stdout


def commands_in(help_text):
    parts = help_text.split("Subcommands:\n")
    if len(parts) == 1:
        return []
    return re.findall(r"(?m)^  (\S+)", parts[1].split("\n\n")[0])


def all_commands(words=()):
    """Every command that --help shows, as words; the trainer's `data` and `profile` are only in its examples."""
    yield list(words)
    beside = ["data", "profile"] if PROGRAM == "adarun-trainer" and not words else []
    for inner in [*commands_in(help_of(words)), *beside]:
        yield from all_commands([*words, inner])


def options_in(help_text):
    """The names (-x, --long) on each line of the options."""
    listed = re.findall(r"(?m)^  (-\S+)", help_text)
    return [name for names in listed for name in names.split(",")]


def page(words):
    return f"{FOLDER}/{'-'.join([PROGRAM, *words])}.1"


class Pages(unittest.TestCase):
    maxDiff = None

    def test_each_command_has_one_and_no_other_is_there(self):
        wanted = sorted(os.path.basename(page(words)) for words in all_commands())
        self.assertGreater(len(wanted), 20 if PROGRAM == "adarun" else 4)
        self.assertEqual(sorted(os.listdir(FOLDER)), wanted)

    def test_what_help_says_is_there(self):
        for words in all_commands():
            text = read(page(words)).replace("\\-", "-").replace("\\fB", "").replace("\\fR", "").replace("\\fI", "")
            help_text = help_of(words)
            options = options_in(help_text)
            self.assertIn("--help", options)
            for option in options:
                self.assertRegex(text, rf"(?m)^\.TP\n(.*, )?{re.escape(option)}(, | |$)", (words, option))
            for command in commands_in(help_text):
                self.assertIn(f"\n{'-'.join([PROGRAM, *words, command])}(1)\n", text)
            if words and not commands_in(help_text):
                for name in ("EXAMPLES", "EXIT STATUS"):
                    if name.capitalize().split()[0] in help_text:
                        self.assertIn(f".SH {name}\n", text, words)

    @unittest.skipUnless(shutil.which("groff"), "skipped: groff is not installed")
    def test_groff_has_nothing_to_say(self):
        for words in all_commands():
            done = run("groff", "-man", "-Tutf8", "-Kutf8", "-ww", "-z", page(words), env=LOOK)
            self.assertEqual((done.returncode, done.stderr), (0, ""), words)

    @unittest.skipUnless(shutil.which("man"), "skipped: man is not installed")
    def test_man_shows_the_words_as_they_are_typed(self):
        words, wanted = {
            "adarun": (["launch"], [r"adarun launch --hosts node\[1-4\]:8 -- ./train --lr 0.1\n",
                                    r"NAME\n +adarun-launch - run a program as every rank", r"-r, --rank-table FILE\n"]),
            "adarun-trainer": ([], [r"mpirun -n 16 adarun-trainer +16 ranks", r"NAME\n +adarun-trainer - trains a model on one or many",
                                    r"--bucket-mb "]),
        }[PROGRAM]
        done = run("man", "--warnings", "-l", page(words), env=LOOK)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        shown = re.sub(".\b", "", done.stdout)
        for each in wanted:
            self.assertRegex(shown, each)


if __name__ == "__main__":
    unittest.main(verbosity=2)
