#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The live view in a pseudo-terminal: growing logs, keys, sizes, terminals without cursor control."""
import math
import os
import pathlib
import re
import sys
import tempfile
import unittest

from screen import Terminal

ADARUN = sys.argv.pop(1)
UP, DOWN, LEFT = "\x1b[A", "\x1b[B", "\x1b[D"


class LiveView(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory(prefix="adarun-view-")
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)
        self.steps = 0
        self.write(40)

    def write(self, steps, wrong=""):
        """Appends so many steps to the logs of four ranks."""
        begin, self.steps = self.steps + 1, self.steps + steps
        for rank in range(4):
            with open(self.folder / f"worker_{rank}.log", "a", encoding="utf-8") as log:
                for step in range(begin, self.steps + 1):
                    loss = wrong if wrong and rank == 2 else f"{0.2 + 2 * math.exp(-step / 30) + 0.01 * rank:.6f}"
                    log.write(f"epoch: [1/2] step: [{step}/100], loss is {loss}\n")

    def view(self, *options, rows=24, columns=80, **env):
        env = {"XDG_STATE_HOME": str(self.folder / "state"), **env}
        return Terminal([ADARUN, "monitor", *options, str(self.folder)], rows, columns, env)

    def test_shows_steps_and_findings_as_they_come(self):
        with self.view() as terminal:
            terminal.until(lambda text: "step 40/100" in text and "4 ranks" in text, "the first picture")
            self.write(10)
            terminal.until(lambda text: "step 50/100" in text, "ten steps more")
            self.write(10, wrong="nan")
            terminal.until(lambda text: "nan or inf: rank 2" in text, "a finding")
            # Until the view has read the log of rank 3, that rank is listed as behind.
            terminal.until(lambda text: re.search(r"^ *rank step .*\n +2 +60 +nan .* NaN", text, re.M), "the rank in trouble first")
            terminal.until(lambda text: re.search(r"^ +3 +60 ", text, re.M) and "step 60/100" in text, "all that was written")
            terminal.press("q")
            self.assertEqual(terminal.wait(), 0)
            self.assertIn("step 60/100", terminal.screen.text(), "the last picture stays")

    def test_obeys_its_keys(self):
        with self.view() as terminal:
            terminal.until(lambda text: "? help" in text, "the hint")
            for keys, wanted in [("?", "quit"), ("?", "rank step"), ("+", "zoom 2x"), (LEFT, "zoom 2x"),
                                 ("l", "log scale"), ("s", "smooth 4"), (DOWN, "rank 0"), ("3\r", "rank 3 "),
                                 ("r", "best")]:
                terminal.press(keys)
                terminal.until(lambda text, wanted=wanted: wanted in text, f"{keys!r} -> {wanted}")
            terminal.press("\x03")
            self.assertEqual(terminal.wait(), 130)

    def test_marks_the_chosen_rank_and_draws_its_curve(self):
        with self.view() as terminal:
            terminal.until(lambda text: "? help" in text, "the hint")
            terminal.press(UP)
            terminal.until(lambda text: re.search(r"^ +>3 ", text, re.M), "a mark at rank 3")
            terminal.press("q")
            self.assertEqual(terminal.wait(), 0)

    def test_follows_the_size_of_its_terminal(self):
        with self.view() as terminal:
            terminal.until(lambda text: "step 40/100" in text, "the first picture")
            for rows, columns in [(50, 200), (12, 40), (6, 30), (24, 80)]:
                terminal.resize(rows, columns)
                self.write(1)
                step = f"step {self.steps}/100"
                text = terminal.until(lambda text, step=step: text.count(step) == 1, f"{step} in {columns}x{rows}")
                for line in text.splitlines():
                    self.assertLessEqual(len(line), columns)
            terminal.press("q")
            self.assertEqual(terminal.wait(), 0)

    def test_has_no_colours_where_none_are_wanted(self):
        for options, env in [(["--color", "never"], {}), ([], {"NO_COLOR": "1"})]:
            with self.subTest(options), self.view(*options, **env) as terminal:
                terminal.until(lambda text: "step 40/100" in text, "the first picture")
                self.assertNotIn("m", terminal.screen.sequences)
                terminal.press("q")
                self.assertEqual(terminal.wait(), 0)
        with self.view() as terminal:
            terminal.until(lambda text: "step 40/100" in text, "the first picture")
            self.assertIn("m", terminal.screen.sequences)
            terminal.press("q")
            terminal.wait()

    def test_writes_lines_where_the_cursor_cannot_be_moved(self):
        with self.view(TERM="dumb") as terminal:
            text = terminal.until(lambda text: "epoch 1 step 40  loss" in text, "the last line")
            self.assertEqual(terminal.screen.sequences, set(), text)
            terminal.press("q")
            self.assertEqual(terminal.wait(), 0)

    def test_draws_in_ascii_without_utf8(self):
        with self.view(LANG="C") as terminal:
            text = terminal.until(lambda text: "step 40/100" in text, "the first picture")
            self.assertTrue(text.isascii(), text)
            terminal.press("q")
            self.assertEqual(terminal.wait(), 0)

    def test_gives_the_terminal_back_as_it_was(self):
        script = f'{ADARUN} monitor {self.folder}; stty -a | grep -o -e "-\\?icanon" -e "-\\?echo\\b"'
        with Terminal(["/bin/sh", "-c", script], env={"PATH": os.environ["PATH"]}) as terminal:
            terminal.until(lambda text: "? help" in text, "the hint")
            terminal.press("q")
            self.assertEqual(terminal.wait(), 0)
            self.assertEqual(terminal.screen.text().split()[-2:], ["icanon", "echo"])


if __name__ == "__main__":
    unittest.main()
