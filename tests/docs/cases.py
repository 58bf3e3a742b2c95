# SPDX-License-Identifier: Apache-2.0
"""How the pages under pages/ say what a command needs that is not run just as it stands."""
from dataclasses import dataclass


@dataclass(frozen=True)
class Case:
    """One command of a page. Where it is run in other words, ends otherwise or is not run, `why` says the reason.

    run      what is run instead
    before   shell words that are run first: the setting of this command
    status   its exit status
    shows    a regular expression that its output must hold
    until    one that its output must come to, whereupon it gets a Ctrl-C
    skip     it is not run
    printed  the command before it prints it, as part of its own output
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
    """A command that finds what these shell words make."""
    return Case(command, before=before, **more)


def ends_with(command, status, shows, **more):
    """A command that is shown with another end than 0."""
    return Case(command, status=status, shows=shows, **more)


def replaced(command, run, why, **more):
    return Case(command, run=run, why=why, **more)


def not_run(command, why):
    return Case(command, why=why, skip=True)


def printed(command, why):
    """A command that stands in the output of the one before it."""
    return Case(command, why=why, printed=True)


@dataclass(frozen=True)
class Substitute:
    """Words in all commands of a page that stand for something of the reader's."""
    words: str
    by: str
    why: str
