# SPDX-License-Identifier: Apache-2.0
"""Compares the output of a command with the sample on its page, line by line, except for parts that vary between runs."""
import re
from dataclasses import dataclass

LEFT_OUT = "..."
NUMBER = r"(?<![\w.,-])\d[\d.,]*(?:e-?\d+)?"

# What varies, and its placeholder. Other numbers (ranks, steps, counts, exit codes) must be as on the page.
VARYING = [(re.compile(pattern), word) for pattern, word in (
    (r"\b\d{8}-\d{6}(-[0-9a-f]+)?\b", "JOB"),
    (r"(?<![\d.])\d+\.\d+\.\d+\.\d+(:\d+)?(?!\.?\d)", "ADDRESS"),
    (r"(?<![\w.)\]-])/[\w./+-]+", "PATH"),
    (r"\btoken=[0-9a-f]{32}\b", "token=TOKEN"),
    (r"\bport \d+\b", "port N"),
    (r"\b0x[0-9a-f]{16}\b", "BITS"),
    (r"\bsshd-\w{6}\b", "FOLDER"),
    (NUMBER + r" (?:ns|us|ms|s|min|h)\b", "TIME"),
    (NUMBER + r" (?:bytes|[kMG]?i?B)\b", "SIZE"),
    (NUMBER + r" images/s\b", "RATE"),
    (r"(?<![\w,-])\d{1,3}(,\d{3})+(?![\w,-])", "N"),
    (r"(?<![\w,-])\d+(\.\d+)*(\.\d+|e-\d+)(?!\w)", "N"),
    (r"(?<=\.so)(\.\d+)+", ".N"),
    (r"\bover \d+ ranks\b", "over N ranks"),  # On a busy machine a loss is shown before all ranks have printed it.
    (r"\bexit status \d+: (?=adarun-agent: )", ""),  # It may come later than the end of the agent.
    (r" {2,}", " "),
)]


@dataclass(frozen=True)
class Unlike:
    """Lines of a page's samples (a regular expression) that the test's nodes do not print, with the reason.

    instead   a regular expression for the line that they print there, placeholders filled in; if empty, any lines match
    """
    line: str
    why: str
    instead: str = ""


def shape(line):
    """A line with placeholders for what varies."""
    for pattern, word in VARYING:
        line = pattern.sub(word, line)
    return line.strip()


def pattern_of(line, unlikes):
    """The regular expression that the output must match for a line of a sample; records the Unlike that was used."""
    unlike = next((each for each in unlikes if re.fullmatch(each.line, line)), None)
    if line == LEFT_OUT or (unlike and not unlike.instead):
        return r"(?:.*\n)*?", unlike
    return (f"(?:{unlike.instead})" if unlike else re.escape(shape(line))) + r"\n", unlike


def difference(sample, said, unlikes=()):
    """How the output differs from the sample, in words, or an empty text; and which of `unlikes` were used.

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
