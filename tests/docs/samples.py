# SPDX-License-Identifier: Apache-2.0
"""Whether a command prints what a page shows of it: line by line, but for what is another one each time."""
import re
from dataclasses import dataclass

LEFT_OUT = "..."
NUMBER = r"(?<![\w.,-])\d[\d.,]*(?:e-?\d+)?"

# What varies, and the word that stands for it. Other numbers (ranks, steps, counts, exit codes) are as on the page.
VARYING = [(re.compile(pattern), word) for pattern, word in (
    (r"\b\d{8}-\d{6}(-[0-9a-f]+)?\b", "JOB"),
    (r"(?<![\d.])\d+\.\d+\.\d+\.\d+(:\d+)?(?!\.?\d)", "ADDRESS"),
    (r"(?<![\w.)\]-])/[\w./+-]+", "PATH"),
    (r"\bport \d+\b", "port N"),
    (r"\b0x[0-9a-f]{16}\b", "BITS"),
    (r"\bsshd-\w{6}\b", "FOLDER"),
    (NUMBER + r" (?:ns|us|ms|s|min|h)\b", "TIME"),
    (NUMBER + r" (?:bytes|[kMG]?i?B)\b", "SIZE"),
    (NUMBER + r" images/s\b", "RATE"),
    (r"(?<![\w,-])\d{1,3}(,\d{3})+(?![\w,-])", "N"),
    (r"(?<![\w,-])\d+(\.\d+)*(\.\d+|e-\d+)(?!\w)", "N"),
    (r"(?<=\.so)(\.\d+)+", ".N"),
    (r"\bover \d+ ranks\b", "over N ranks"),  # A busy machine shows a loss before all have printed it.
    (r" {2,}", " "),
)]


@dataclass(frozen=True)
class Unlike:
    """Lines of a page's samples (a regular expression) that the test's nodes do not print, with the reason.

    instead   a regular expression for the shape of the line that they print there; without it any lines, as for ...
    """
    line: str
    why: str
    instead: str = ""


def shape(line):
    """A line without what varies."""
    for pattern, word in VARYING:
        line = pattern.sub(word, line)
    return line.strip()


def pattern_of(line, unlikes):
    """What the output must have for a line of a sample, as a regular expression; notes the Unlike that was used."""
    unlike = next((each for each in unlikes if re.fullmatch(each.line, line)), None)
    if line == LEFT_OUT or (unlike and not unlike.instead):
        return r"(?:.*\n)*?", unlike
    return (f"(?:{unlike.instead})" if unlike else re.escape(shape(line))) + r"\n", unlike


def difference(sample, said, unlikes=()):
    """Why a command did not print what the sample has, in words; empty where it did. Also which of `unlikes` it has.

    `...` in a sample stands for any lines. Empty lines of the output do not count.
    """
    found = "".join(shape(line) + "\n" for line in said.splitlines() if line.strip())
    patterns, used = zip(*(pattern_of(line, unlikes) for line in sample))
    used = {each for each in used if each}
    if re.fullmatch("".join(patterns), found):
        return "", used
    for count, line in enumerate(sample, 1):
        if not re.match("".join(patterns[:count]), found):
            return f"it does not print (in this place): {line}\nas: {patterns[count - 1].strip()}\nbut:\n{said}", used
    return f"it prints more than the page shows:\n{said}", used
