# SPDX-License-Identifier: Apache-2.0
"""How files under pages/ describe pages, and commands that are not run exactly as their page shows them."""
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Case:
    """One command of a page. `why` is the reason if it is changed, fails or is not run.

    run      what is run instead
    before   a shell script that is run first
    status   its exit status
    shows    a regular expression that its output must contain
    until    a regular expression: when the output contains it, the command gets a Ctrl-C
    skip     it is not run
    printed  it is part of the output of the command before it
    """
    command: str
    why: str = ""
    run: str = ""
    before: str = ""
    status: int = 0
    shows: str = ""
    until: str = ""
    skip: bool = False
    printed: bool = False

    def __post_init__(self):
        if (self.run or self.skip or self.printed) and not self.why:
            raise ValueError(f"{self.command}: no reason is given")


def set_up_by(command, before, **more):
    """A command before which a shell script is run."""
    return Case(command, before=before, **more)


def ends_with(command, status, shows, **more):
    """A command with an exit status other than 0."""
    return Case(command, status=status, shows=shows, **more)


def replaced(command, run, why, **more):
    return Case(command, run=run, why=why, **more)


def not_run(command, why):
    return Case(command, why=why, skip=True)


def printed(command, why):
    """A command that is part of the output of the one before it."""
    return Case(command, why=why, printed=True)


@dataclass(frozen=True)
class Substitute:
    """Words that are replaced in all commands of a page."""
    words: str
    by: str
    why: str


@dataclass(frozen=True)
class Page:
    """What the commands of a page need, and those that are changed, fail or are not run.

    setting      a shell script that prepares what they need
    tidying      a shell script that is run after them
    unlikes      lines of its samples that the test's nodes do not print (samples.Unlike)
    """
    setting: str = ""
    tidying: str = ""
    substitutes: list = field(default_factory=list)
    unlikes: list = field(default_factory=list)
    cases: list = field(default_factory=list)
