#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks each fault of faults.py: the message to the user, the exit status, and that no process is left."""
import unittest

from e2e import Case
from faults import FAULTS, Scene


class Faults(Case):
    def hold(self, fault):
        outcome = fault.act(Scene(self.folder))
        self.assertEqual(outcome.status, fault.status, outcome.words)
        if fault.line:
            self.assertRegex(outcome.line(), fault.line, outcome.words)
        else:
            self.assertEqual(outcome.words, "")
        self.assertEqual(outcome.left, [], "processes left behind")
        if fault.within_s is not None:
            self.assertLess(outcome.seconds, fault.within_s)


for each in FAULTS:
    setattr(Faults, f"test_{each.act.__name__}", lambda self, fault=each: self.hold(fault))

if __name__ == "__main__":
    unittest.main()
