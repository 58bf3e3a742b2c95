# SPDX-License-Identifier: Apache-2.0
"""What a terminal of a fixed size shows after some output: as much of ECMA-48 as adarun prints, and no more.

Printable characters are one cell wide and wrap at the right edge; CR, LF, BS and TAB move as usual, and a LF on the last
line scrolls. Sequences: CSI A B C D G H f (move), J K (erase), m (colours and bold), ?25 h/l (cursor). Others are skipped.
"""
import re
from dataclasses import dataclass, field

SEQUENCE = re.compile(r"\x1b(?:\[([?>=]?)([0-9;]*)[ -/]*([@-~])|\][^\x07\x1b]*(?:\x07|\x1b\\)|[()][0-9A-Za-z]|[=>78cDEHM])")
BEGUN = re.compile(r"\x1b(?:\[[?>=]?[0-9;]*[ -/]*|\][^\x07\x1b]*\x1b?|[()])?\Z")  # The rest is in the next output.
TAB = 8


@dataclass(frozen=True)
class Style:
    color: int | None = None  # As in SGR: 30 to 37, 90 to 97; None: the terminal's own.
    bold: bool = False


PLAIN = Style()


@dataclass
class Screen:
    columns: int
    lines: int
    row: int = 0
    column: int = 0
    style: Style = PLAIN
    has_cursor: bool = True
    cells: list = field(default_factory=list)
    rest: str = ""  # A sequence that has begun.

    def __post_init__(self):
        self.cells = [self.blank() for _ in range(self.lines)]

    def blank(self):
        return [(" ", PLAIN)] * self.columns

    def write(self, text):
        text, self.rest = self.rest + text, ""
        at = 0
        while at < len(text):
            sequence = SEQUENCE.match(text, at)
            if sequence:
                if sequence[3]:
                    self.obey(sequence[1], sequence[2], sequence[3])
                at = sequence.end()
            elif BEGUN.match(text, at):
                self.rest = text[at:]
                return
            else:
                self.put(text[at])
                at += 1

    def put(self, char):
        if char == "\r":
            self.column = 0
        elif char == "\n":
            self.feed()
        elif char == "\b":
            self.column = max(0, min(self.column, self.columns) - 1)
        elif char == "\t":
            self.column = min(self.columns - 1, (self.column // TAB + 1) * TAB)
        elif char.isprintable():
            if self.column == self.columns:  # A full line wraps at the next character, not before.
                self.column = 0
                self.feed()
            self.cells[self.row][self.column] = (char, self.style)
            self.column += 1

    def feed(self):
        if self.row + 1 < self.lines:
            self.row += 1
            return
        self.cells.append(self.blank())
        del self.cells[0]

    def obey(self, private, parameters, final):
        numbers = [int(each or 0) for each in parameters.split(";")]
        if private:
            if numbers == [25]:
                self.has_cursor = final == "h"
        elif final == "m":
            self.restyle(numbers)
        elif final in "JK":
            self.erase(final, numbers[0])
        else:
            self.move(final, numbers)

    def move(self, final, numbers):
        count = max(1, numbers[0])
        if final in "AB":
            self.row = min(self.lines - 1, max(0, self.row + (count if final == "B" else -count)))
        elif final in "CD":
            self.column = min(self.columns - 1, max(0, self.column + (count if final == "C" else -count)))
        elif final == "G":
            self.column = min(self.columns, count) - 1
        elif final in "Hf":
            self.row = min(self.lines, count) - 1
            self.column = min(self.columns, max(1, numbers[1] if len(numbers) > 1 else 1)) - 1

    def erase(self, final, how):
        """K: to the end of the line, from its beginning, all of it; J: likewise the screen."""
        before, behind = how in (1, 2), how in (0, 2)
        for column in range(self.columns):
            if before and column <= self.column or behind and column >= self.column:
                self.cells[self.row][column] = (" ", PLAIN)
        if final == "J":
            for row in range(self.lines):
                if before and row < self.row or behind and row > self.row:
                    self.cells[row] = self.blank()

    def restyle(self, numbers):
        for number in numbers:
            if number == 0:
                self.style = PLAIN
            elif number in (1, 22):
                self.style = Style(self.style.color, number == 1)
            elif 30 <= number <= 37 or 90 <= number <= 97 or number == 39:
                self.style = Style(None if number == 39 else number, self.style.bold)

    def rows(self):
        """Each line as a tuple of (text, style), without what is blank at its end."""
        return tuple(runs_of(cells) for cells in self.cells)


def runs_of(cells):
    runs = []
    for char, style in cells:
        if char == " " and runs:
            style = runs[-1][1]  # A blank looks alike in every style.
        if runs and runs[-1][1] == style:
            runs[-1] = (runs[-1][0] + char, style)
        else:
            runs.append((char, style))
    if runs:
        runs[-1] = (runs[-1][0].rstrip(" "), runs[-1][1])
    return tuple(run for run in runs if run[0])


def text_of(row):
    return "".join(text for text, _ in row)
