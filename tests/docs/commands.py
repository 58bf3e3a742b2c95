# SPDX-License-Identifier: Apache-2.0
"""The commands that a page of Markdown, or a --help, asks its reader to type, and the programs of ours that it mentions."""
import re
from dataclasses import dataclass, replace

# A line of a block without prompts is a command if it begins with one of these, or with a path into the source.
PROGRAMS = {"adarun", "adarun-agent", "adarun-trainer", "apt", "apt-get", "cat", "cd", "chmod", "cmake", "cp", "cpack", "ctest",
            "echo", "eval", "export", "for", "git", "grep", "jq", "kill", "ls", "mkdir", "mpirun", "podman", "printf", "python3", "salloc", "sbatch",
            "scp", "sed", "squeue", "srun", "ssh", "ssh-add", "ssh-copy-id", "ssh-keygen", "sudo", "tail", "tar", "torchrun"}
PATHS = ("./", "build/", "scripts/", "bench/", "tests/")
OTHER_LANGUAGES = {"c", "cpp", "json", "python", "yaml"}


@dataclass(frozen=True)
class Block:
    """An indented or fenced block; `line` is the number of its first line."""
    line: int
    lines: tuple


@dataclass(frozen=True)
class Command:
    """A command, the number of its first line, and the output that the page shows for it."""
    line: int
    text: str
    sample: tuple = ()


def blocks(markdown):
    """The blocks that may hold commands, split at empty lines; blocks in other languages are left out."""
    found, lines, fence, blank = [], None, None, True
    for number, text in enumerate([*markdown.splitlines(), ""], 1):
        mark = re.match(r"\s*```(\w*)", text)
        if mark and fence is None:
            fence, lines = mark.group(1), []
        elif mark:
            if fence not in OTHER_LANGUAGES:
                found.append(Block(number - len(lines), tuple(lines)))
            fence, lines = None, None
        elif fence is not None:
            lines.append(text)
        elif text.startswith("    ") and (lines is not None or blank):
            lines = [*(lines or []), text[4:]]
        elif lines is not None:
            found.append(Block(number - len(lines), tuple(lines)))
            lines = None
        blank = not text
    return found


def is_command(line):
    first = re.sub(r"^(\w+=\S* )+", "", line).split(" ")[0]
    return first in PROGRAMS or first.startswith(PATHS)


def without_remark(line):
    """Three or more spaces end a command; what follows is a remark."""
    return re.split(r" {3,}", line.rstrip())[0]


def commands_in(block):
    """The commands of a block. If any line has a prompt `$ `, only those are commands; the others are sample output."""
    prompts = any(line.startswith("$ ") for line in block.lines)
    found, open_line, text = [], None, ""
    for number, line in enumerate(block.lines, block.line):
        if open_line is None:
            typed = line[2:] if prompts and line.startswith("$ ") else line
            if not (line.startswith("$ ") if prompts else is_command(line)):
                if prompts and found:
                    found[-1] = replace(found[-1], sample=(*found[-1].sample, line))
                continue
            open_line, text = number, without_remark(typed)
        else:
            text += "\n" + line.rstrip()
        if not is_open(text):
            found.append(Command(open_line, text))
            open_line = None
    assert open_line is None, f"line {open_line}: a command without its end: {text}"
    return found


def is_open(text):
    """Whether a shell would read another line: after a backslash, inside a loop."""
    return text.endswith("\\") or (text.startswith("for ") and not text.rstrip().endswith("done"))


def commands_of_page(markdown):
    return [command for block in blocks(markdown) for command in commands_in(block)]


def commands_of_help(text):
    """The commands in the examples of a --help."""
    parts = re.split(r"(?m)^Examples?:\n", text)[1:]
    lines = [line for part in parts for line in part.splitlines()]
    return [Command(0, without_remark(line[2:])) for line in lines if line.startswith("  ") and is_command(line[2:])]


def mentions(markdown):
    """(line, words) of each mention of our programs: code in running text, and anywhere in blocks."""
    found = []
    for number, line in enumerate(markdown.splitlines(), 1):
        for text in re.findall(r"`(adarun(?:-trainer)? [^`]*)`", line):
            found.append((number, text.replace("\\|", "|").split()))
    for block in blocks(markdown):
        for number, line in enumerate(block.lines, block.line):
            for text in re.findall(r"(?<![\w/.:-])adarun(?:-trainer)? [a-z][^;]*", line):
                found.append((number, without_remark(text).split()))
    return found
