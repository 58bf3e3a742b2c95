# SPDX-License-Identifier: Apache-2.0
"""Reads commands and options from the --help of the built programs."""
import functools
import os
import re
import subprocess

DEADLINE_S = 60
BESIDE = {("adarun-trainer",): ["data", "profile"]}  # Only mentioned in the examples of --help.


@functools.cache
def help_of(words):
    """The --help of a command: ("adarun", "ranktable", "gen")."""
    program = os.path.join(os.environ["ADARUN_TEST_BIN"], words[0])
    whole = "--help-all" if words[1:] in (("launch",), ("train",)) else "--help"
    done = subprocess.run([program, *words[1:], whole], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          timeout=DEADLINE_S, check=False)
    if done.returncode != 0:
        raise AssertionError(f"{words} --help: status {done.returncode}\n{done.stderr}")
    return done.stdout


def commands_in(words):
    """The names of the subcommands of a command."""
    parts = help_of(words).split("Subcommands:\n")
    shown = re.findall(r"(?m)^  (\S+)", parts[1].split("\n\n")[0]) if len(parts) > 1 else []
    return [*shown, *BESIDE.get(words, [])]


def all_commands(*words):
    """Every command of a program that --help shows, as words, parents first."""
    return [words, *(found for inner in commands_in(words) for found in all_commands(*words, inner))]


def programs():
    """Our programs that this build has."""
    return [name for name in ("adarun", "adarun-trainer") if os.path.exists(os.path.join(os.environ["ADARUN_TEST_BIN"], name))]


def options_of(words):
    """The options of a command, each with all its names: ("-o", "--output")."""
    return [tuple(names.split(",")) for names in re.findall(r"(?m)^  (-\S+)", help_of(words))]


def explained_options(words):
    """(long name without dashes, what it takes, what it does) for each option of a command; a flag takes ""."""
    found = re.findall(r"(?m)^  (-\S+)(?: (\S+(?: \.\.\.)?))?((?: {2,}.*)?(?:\n {20,}.*)*)$", help_of(words))
    return [(names.split(",")[-1].lstrip("-"), takes, " ".join(text.split())) for names, takes, text in found]
