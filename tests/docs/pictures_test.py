# SPDX-License-Identifier: Apache-2.0
"""Scripts that make the pictures of the pages: what a terminal shows, as SVG and asciicast, and what a browser shows, as PNG."""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as xml

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SCRIPTS = os.path.join(SOURCE, "scripts")
PICTURES = os.path.join(SOURCE, "docs", "img")
BIN = os.environ["ADARUN_TEST_BIN"]
DEADLINE_S = 100
MOST_BYTES = 200_000
sys.path.insert(0, SCRIPTS)

from terminal.record import Film, Frame  # noqa: E402
from terminal.screen import PLAIN, Screen, Style, text_of  # noqa: E402


def shown(text, columns=8, lines=3):
    screen = Screen(columns, lines)
    for char in text:  # Sequences may arrive in pieces.
        screen.write(char)
    return [text_of(row) for row in screen.rows()]


def text_in(file):
    """All text of an SVG, with a blank between the pieces of a line."""
    pieces = [element.text for element in xml.parse(file).iter("{http://www.w3.org/2000/svg}text")]
    return " ".join(pieces)


class ScreenTest(unittest.TestCase):
    def test_wraps_and_scrolls(self):
        self.assertEqual(shown("one\r\ntwo"), ["one", "two", ""])
        self.assertEqual(shown("12345678"), ["12345678", "", ""])
        self.assertEqual(shown("123456789"), ["12345678", "9", ""])
        self.assertEqual(shown("1\r\n2\r\n3\r\n4"), ["2", "3", "4"])

    def test_moves_and_erases(self):
        self.assertEqual(shown("abc\rx\x1b[K"), ["x", "", ""])
        self.assertEqual(shown("a\r\nb\r\nc\x1b[2A\rX\x1b[J"), ["X", "", ""])
        self.assertEqual(shown("\x1b[2;3Hx\x1b[9;9Hy\x1b[1Gz\x1b[2Dw"), ["", "  x", "w      y"])
        self.assertEqual(shown("ab\bc\tx"), ["ac     x", "", ""])
        self.assertEqual(shown("\x1b]0;title\x07a\x1b(Bb\x1b[?2004hc"), ["abc", "", ""])

    def test_keeps_colours(self):
        screen = Screen(20, 1)
        screen.write("a\x1b[1;31mb c\x1b[0m \x1b[36md\x1b[39m\x1b[?25l")
        self.assertEqual(screen.rows(), ((("a", PLAIN), ("b c ", Style(31, True)), ("d", Style(36))),))
        self.assertFalse(screen.has_cursor)


class FilmTest(unittest.TestCase):
    def test_has_no_frame_twice_and_no_long_pause(self):
        film = Film(Screen(4, 1), 0.5)
        for when, text in ((0.0, "a"), (0.25, "b"), (1.0, "\rab"), (60.0, "c")):
            film.write(when, text)
        film.end(60)
        self.assertEqual([text_of(frame.rows[0]) for frame in film.frames], ["", "ab", "abc"])
        self.assertEqual([frame.time for frame in film.frames], [0, 0.5, 2.0])
        self.assertEqual(film.frames[0], Frame(0, ((),)))


class PicturesTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.name = os.path.join(folder.name, "made")

    def run_script(self, *words):
        return subprocess.run([os.path.join(SCRIPTS, words[0]), "--bin", BIN, "-o", self.name, *words[1:]],
                              capture_output=True, text=True, timeout=DEADLINE_S, check=False, stdin=subprocess.DEVNULL)

    def test_of_a_terminal(self):
        done = self.run_script("record-demo", "adarun launch -n 2 --show 1 sh -c 'tput cols; echo <$RANK_ID\\&>'")
        self.assertEqual(done.returncode, 1)
        self.assertIn("exit status 2", done.stderr, "the shell's")
        self.assertFalse(os.path.exists(self.name + ".svg"))
        done = self.run_script("record-demo", "adarun ps", "adarun launch -n 2 --show 1 sh -c 'echo \"<$RANK_ID&>\"'")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        text = text_in(self.name + ".svg")
        self.assertIn("adarun ps", text)
        self.assertIn("<1&>", text)
        self.assertNotIn("<0&>", text)
        with open(self.name + ".cast", encoding="utf-8") as file:
            header, *events = [json.loads(line) for line in file]
        self.assertEqual((header["version"], header["width"], header["height"]), (2, 88, 30))
        self.assertEqual([event[0] for event in events], sorted(event[0] for event in events))
        screen = Screen(88, 30)
        for _, kind, output in events:
            self.assertEqual(kind, "o")
            screen.write(output)
        self.assertIn("<1&>", [text_of(row) for row in screen.rows()])

    def test_of_the_page(self):
        for program in ("chromium", "chromedriver"):
            if shutil.which(program) is None:
                self.skipTest(f"no {program}")
        if subprocess.run(["/usr/bin/python3", "-c", "import selenium, PIL"], capture_output=True, check=False).returncode != 0:
            self.skipTest("no python3-selenium, or no python3-pil")
        logs = os.path.dirname(self.name)
        for rank in range(2):
            with open(f"{logs}/worker_{rank}.log", "w", encoding="utf-8") as log:
                log.writelines(f"epoch: 1 step: {step}, loss is {3 / step + rank}\n" for step in range(1, 80))
        done = self.run_script("screenshot-page", "--logs", logs)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        for scheme in ("dark", "light"):
            with open(f"{self.name}-{scheme}.png", "rb") as picture:
                self.assertTrue(picture.read(8).startswith(b"\x89PNG"))

    def test_that_the_pages_show_are_small_and_whole(self):
        for name in sorted(os.listdir(PICTURES)):
            self.assertLess(os.path.getsize(os.path.join(PICTURES, name)), MOST_BYTES, name)
        text = text_in(os.path.join(PICTURES, "demo.svg"))
        for word in ("adarun demo", "epoch 2 step 32", "accuracy", "rank step"):
            self.assertIn(word, text)
