#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks each fault of faults.py: the message to the user, the exit status, and that no process is left. With the word
"command" only those that do not depend on SSH, over `nsenter` and over OpenSSH."""
import sys
import unittest

from e2e import Case, enter_host
from faults import FAULTS, Scene


class Faults(Case):
    def hold(self, fault, via=()):
        outcome = fault.act(Scene(self.folder, via))
        self.assertEqual(outcome.status, fault.status, outcome.words)
        if fault.line:
            self.assertRegex(outcome.line(), fault.line, outcome.words)
        else:
            self.assertEqual(outcome.words, "")
        self.assertEqual(outcome.left, [], "processes left behind")
        if fault.within_s is not None:
            self.assertLess(outcome.seconds, fault.within_s)


def add_test(name, fault, via=()):
    setattr(Faults, f"test_{name}", lambda self: self.hold(fault, via))


if sys.argv[1:2] == ["command"]:
    del sys.argv[1]
    for each in FAULTS:
        if each.over != "ssh":
            add_test(f"{each.act.__name__}_over_openssh", each, ("--via", "openssh"))
        if each.over == "any":
            add_test(f"{each.act.__name__}_over_nsenter", each, ("--via", enter_host()))
else:
    for each in FAULTS:
        add_test(each.act.__name__, each)

if __name__ == "__main__":
    unittest.main()
