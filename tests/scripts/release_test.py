#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a release says about itself, the same in all places."""
import pathlib
import re
import unittest

TOP = pathlib.Path(__file__).resolve().parents[2]


def text_of(name):
    return (TOP / name).read_text(encoding="utf-8")


class Release(unittest.TestCase):
    def test_the_newest_in_the_changelog_is_this_version(self):
        newest, *_ = re.findall(r"(?m)^## (\S+)", text_of("CHANGELOG.md"))
        self.assertIn(newest, ("Unreleased", text_of("VERSION").strip()))

    def test_releases_of_the_changelog_are_in_order(self):
        releases = [tuple(map(int, name.split("."))) for name in re.findall(r"(?m)^## ([0-9.]+)", text_of("CHANGELOG.md"))]
        self.assertEqual(releases, sorted(set(releases), reverse=True))

    def test_packages_are_described_in_the_same_words(self):
        packages = text_of("cmake/packages.cmake")
        for words in (re.search(r'(?m)^summary="(.*)"', text_of("scripts/release"))[1],
                      re.search(r'(?m)^maintainer="(.*?)"', text_of("scripts/release"))[1],
                      *re.findall(r'\("Summary", "(.*?)"\)', text_of("scripts/wheel"))):
            with self.subTest(words):
                self.assertIn(words, packages)


if __name__ == "__main__":
    unittest.main()
