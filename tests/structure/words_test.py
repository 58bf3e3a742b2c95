# SPDX-License-Identifier: Apache-2.0
"""Tests words.py: which names it reports, and which it accepts."""
import unittest

from words import findings, meant_by


class Words(unittest.TestCase):
    def test_finds_a_word_within_a_name(self):
        for name in ("errand", "errand_", "Errand", "errands", "kErrandCount", "SSHErrand", "LineWishes", "wishes_of", "RankCare"):
            with self.subTest(name):
                self.assertIsNotNone(meant_by(name))

    def test_lets_other_words_pass(self):
        for name in ("errant", "wishbone", "careful", "desktop", "year", "recourse", "_", "k8s"):
            with self.subTest(name):
                self.assertIsNone(meant_by(name))

    def test_takes_a_word_of_every_day_for_the_whole_of_a_type_only(self):
        self.assertIsNotNone(meant_by("Look"))
        for name in ("look", "look_at", "LookUp", "board", "common_network"):
            with self.subTest(name):
                self.assertIsNone(meant_by(name))

    def test_reads_no_comments_and_no_texts(self):
        self.assertEqual(findings({"launcher/a.h": '// The Guardian.\nconst char* text = "Guardian";'}), [])

    def test_finds_a_phrase_in_texts_comments_and_pages(self):
        for text in ('f("the job goes on");', "// Nobody stands still.", "# it went on"):
            with self.subTest(text):
                self.assertEqual(len(findings({"launcher/a.cpp": text})), 1)
        self.assertEqual(len(findings({"docs/a.md": "its agent said what no agent says"})), 1)
        self.assertEqual(findings({"docs/a.md": "the job continues; it may_continue, and goes only"}), [])

    def test_looks_into_tests_but_not_into_what_is_no_source(self):
        files = {"tests/a_test.cpp": "int fates;", "docs/a.md": "fates", "scripts/a.py": "fates = 1"}
        self.assertEqual(findings(files), ["tests/a_test.cpp: fates: say outcome (rank_outcomes)"])
