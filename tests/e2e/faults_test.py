# SPDX-License-Identifier: Apache-2.0
"""Checks each fault of faults.py: the message to the user, the exit status, and that no process is left. Those that do not depend
on SSH also over `nsenter` and over OpenSSH."""
from e2e import Case, enter_host
from faults import FAULTS, Scene


class FaultCase(Case):
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


class Faults(FaultCase):
    """Over SSH."""


class FaultsOverCommands(FaultCase):
    """Those that do not depend on SSH."""


def add_test(case, name, fault, via=()):
    setattr(case, f"test_{name}", lambda self: self.hold(fault, via))


for each in FAULTS:
    add_test(Faults, each.act.__name__, each)
    if each.over != "ssh":
        add_test(FaultsOverCommands, f"{each.act.__name__}_over_openssh", each, ("--via", "openssh"))
    if each.over == "any":
        add_test(FaultsOverCommands, f"{each.act.__name__}_over_nsenter", each, ("--via", enter_host()))
