# SPDX-License-Identifier: Apache-2.0
"""Compares the pages with --help: pages name only commands and options that exist, and name all of them."""
import functools
import glob
import os
import re
import unittest

import commands
import helps

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PAGES = ["README.md", "CONTRIBUTING.md", "bench/README.md", *sorted(glob.glob("docs/**/*.md", root_dir=SOURCE, recursive=True))]

# Options of other programs that running text mentions.
OF_OTHERS = {
    "--allow-run-as-root": "mpirun", "--join": "msrun", "--max-restarts": "torchrun", "--mca": "mpirun",
    "--no-kill": "salloc, sbatch", "--nproc_per_node": "torchrun", "--ntasks": "srun", "--output-filename": "mpirun, horovodrun",
    "--overlap": "srun", "--show-output": "run_node<i>.sh",
}
# Options of benchmarks, which have their own --help.
OF_BENCHMARKS = {"--again", "--grid", "--group-size", "--hook", "--kills", "--launchers", "--longer", "--megabytes", "--messages",
                 "--only", "--torchrun"}
UNSAID = {"--help", "--version"}
NO_COMMANDS = [["adarun", "checkpoint", "2"]]  # First lines of files.


def page(path):
    with open(os.path.join(SOURCE, path), encoding="utf-8") as file:
        return file.read()


def is_output(path, line):
    return not re.search("`adarun", page(path).splitlines()[line - 1])


@functools.cache
def known(program):
    """Maps each command of a program to all names of its options."""
    return {words: {name for names in helps.options_of(words) for name in names} for words in helps.all_commands(program)}


def resolved(words):
    """The longest known command that these words begin with, and the remaining words."""
    name = (words[0],)
    for word in (each.partition("|")[0] for each in words[1:]):
        if (*name, word) not in known(words[0]):
            break
        name = (*name, word)
    return name, words[len(name):]


class Options(unittest.TestCase):
    maxDiff = None

    def test_pages_name_commands_that_are(self):
        wrong = []
        for path in PAGES:
            for line, words in commands.mentions(page(path)):
                if words[0] not in helps.programs() or words in NO_COMMANDS:
                    continue
                name, rest = resolved(words)
                if name == (words[0],) and rest and not rest[0].startswith("-") and words[0] == "adarun" and is_output(path, line):
                    continue  # A line of output, not a command.
                if rest and helps.commands_in(name) and words[0] == "adarun":
                    wrong.append(f"{path}:{line}: {' '.join(words)}: no command {' '.join(name)} {rest[0] if rest else ''}")
                own = rest[:rest.index("--")] if "--" in rest else rest
                options = known(words[0])[name] | (known("adarun")[("adarun",)] if words[0] == "adarun" else set())
                for option in re.findall(r"(?:^|[ \[])(--[a-z][\w-]*)", " ".join(own)):
                    if option not in options:
                        wrong.append(f"{path}:{line}: {' '.join(name)} has no {option}")
        self.assertEqual(wrong, [])

    def test_pages_name_options_that_are(self):
        ours = set().union(*(options for program in helps.programs() for options in known(program).values()))
        unused = set(OF_OTHERS) | OF_BENCHMARKS
        wrong = []
        for path in PAGES:
            for line, text in enumerate(page(path).splitlines(), 1):
                if text.startswith("|") and "/coming-from-" in path:
                    continue  # coming_from_test tries these options out.
                for option in re.findall(r"`(--[a-z][\w-]+)", text):
                    unused.discard(option)
                    if option not in ours and option not in OF_OTHERS and option not in OF_BENCHMARKS:
                        wrong.append(f"{path}:{line}: nobody has {option}")
        self.assertEqual(wrong, [])
        self.assertEqual(unused, set(), "listed, but on no page")

    def test_every_page_with_commands_is_tried_out(self):
        listed = set(re.findall(r"(?:docs/)?([\w/-]+)", page("tests/docs/CMakeLists.txt")))
        untried = [path for path in PAGES if commands.commands_of_page(page(path)) and
                   not path.endswith(".zh.md") and  # translations_test compares it with a page that is.
                   path.removesuffix(".md").removeprefix("docs/") not in listed]
        self.assertEqual(untried, [])

    def test_pages_tell_of_every_command_and_option(self):
        text = "\n".join(page(path) for path in PAGES)
        missing = []
        for program in helps.programs():
            for words in known(program):
                if " ".join(words) not in text and f"`{words[-1]}`" not in text:
                    missing.append(" ".join(words))
                missing += [f"{' '.join(words)} {names[-1]}" for names in helps.options_of(words)
                            if not UNSAID & set(names) and not any(re.search(rf"(?<![\w-]){name}(?![\w-])", text) for name in names)]
        self.assertEqual(missing, [])
