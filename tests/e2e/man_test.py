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
LOOK = {"MANWIDTH": "120", "LC_ALL": "C.UTF-8"}
sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "docs"))

from helps import BESIDE, all_commands, commands_in, help_of, options_of  # noqa: E402


def page(words):
    return f"{FOLDER}/{'-'.join(words)}.1"


class Pages(unittest.TestCase):
    maxDiff = None

    def test_each_command_has_one_and_no_other_is_there(self):
        wanted = sorted(os.path.basename(page(words)) for words in all_commands(PROGRAM))
        self.assertGreater(len(wanted), 20 if PROGRAM == "adarun" else 4)
        self.assertEqual(sorted(os.listdir(FOLDER)), wanted)

    def test_what_help_says_is_there(self):
        for words in all_commands(PROGRAM):
            text = read(page(words)).replace("\\-", "-").replace("\\fB", "").replace("\\fR", "").replace("\\fI", "")
            help_text = help_of(words)
            options = [name for names in options_of(words) for name in names]
            self.assertIn("--help", options)
            for option in options:
                self.assertRegex(text, rf"(?m)^\.TP\n(.*, )?{re.escape(option)}(, | |$)", (words, option))
            for command in set(commands_in(words)).difference(BESIDE.get(words, [])):
                self.assertIn(f"\n{'-'.join([*words, command])}(1)\n", text)
            if len(words) > 1 and not commands_in(words):
                for name in ("EXAMPLES", "EXIT STATUS"):
                    if name.capitalize().split()[0] in help_text:
                        self.assertIn(f".SH {name}\n", text, words)

    @unittest.skipUnless(shutil.which("groff"), "skipped: groff is not installed")
    def test_groff_has_nothing_to_say(self):
        for words in all_commands(PROGRAM):
            run("groff", "-man", "-Tutf8", "-Kutf8", "-ww", "-z", page(words), env=LOOK).expect(0, stderr="")

    @unittest.skipUnless(shutil.which("man"), "skipped: man is not installed")
    def test_man_shows_the_words_as_they_are_typed(self):
        words, wanted = {
            "adarun": (["adarun", "launch"], [r"adarun launch --hosts node\[1-4\]:8 -- ./train --lr 0.1\n",
                                              r"NAME\n +adarun-launch - run a program as every rank", r"-r, --rank-table FILE\n"]),
            "adarun-trainer": (["adarun-trainer"], [r"mpirun -n 16 adarun-trainer +16 ranks",
                                                    r"NAME\n +adarun-trainer - trains a model on one or many",
                                                    r"--bucket-mb "]),
        }[PROGRAM]
        done = run("man", "--warnings", "-l", page(words), env=LOOK).expect(0, stderr="")
        shown = re.sub(".\b", "", done.stdout)
        for each in wanted:
            self.assertRegex(shown, each)


if __name__ == "__main__":
    unittest.main(verbosity=2)
