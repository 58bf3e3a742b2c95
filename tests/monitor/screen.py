# SPDX-License-Identifier: Apache-2.0
"""Runs a program in a pseudo-terminal with keys and sizes, and emulates its screen."""
import fcntl
import os
import pty
import re
import select
import signal
import struct
import termios
import time

DEADLINE_S = 60
SEQUENCE = re.compile(r"\x1b\[([?0-9;]*)([A-Za-z])")


class Screen:
    """Emulates a terminal's screen, for the few escape sequences that the view uses."""

    def __init__(self, rows, columns):
        self.rows, self.columns = rows, columns
        self.lines, self.row, self.column = [""] * rows, 0, 0
        self.sequences = set()

    def resize(self, rows, columns):
        """Resizes as tmux does: keeps the lines at the cursor, cuts lines that are too long."""
        while len(self.lines) > rows and self.row > 0:
            self.lines.pop(0)
            self.row -= 1
        self.lines = [line[:columns] for line in (self.lines + [""] * rows)[:rows]]
        self.rows, self.columns, self.row = rows, columns, min(self.row, rows - 1)

    def write(self, text):
        at = 0
        while at < len(text):
            match = SEQUENCE.match(text, at)
            if match:
                self._obey(*match.groups())
                at = match.end()
                continue
            self._put(text[at])
            at += 1

    def text(self):
        return "\n".join(line.rstrip() for line in self.lines)

    def _put(self, character):
        if character == "\r":
            self.column = 0
        elif character == "\n":
            self.row += 1
            if self.row == self.rows:
                self.lines = self.lines[1:] + [""]
                self.row -= 1
        elif self.column < self.columns:
            line = self.lines[self.row].ljust(self.columns)
            self.lines[self.row] = line[:self.column] + character + line[self.column + 1:]
            self.column += 1

    def _obey(self, numbers, name):
        self.sequences.add(name)
        if name == "A":
            self.row = max(0, self.row - int(numbers or 1))
        elif name in "KJ":
            self.lines[self.row] = self.lines[self.row][:self.column]
            if name == "J":
                self.lines[self.row + 1:] = [""] * (self.rows - self.row - 1)


class Terminal:
    """Runs a program in a terminal; kills it at the end of the scope."""

    def __init__(self, command, rows=24, columns=80, env=None, **where):
        self.screen = Screen(rows, columns)
        self.status = None
        self._unread = b""
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            try:
                self._set_size(0, rows, columns)
                if "cwd" in where:
                    os.chdir(where["cwd"])
                os.execve(command[0], command, {"TERM": "xterm-256color", "LANG": "C.UTF-8", **(env or {})})
            finally:
                os._exit(126)

    @staticmethod
    def _set_size(fd, rows, columns):
        fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.status is None:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
        os.close(self.fd)

    def resize(self, rows, columns):
        self.screen.resize(rows, columns)
        self._set_size(self.fd, rows, columns)

    def press(self, keys):
        os.write(self.fd, keys.encode())

    def read(self):
        """Reads what the program wrote, waiting at most 1 s; False at the end of its output."""
        if not select.select([self.fd], [], [], 1)[0]:
            return True
        try:
            data = os.read(self.fd, 65536)
        except OSError:
            data = b""
        if not data:
            self.screen.write(self._unread.decode("utf-8", "ignore"))  # Nothing follows that could belong to it.
            self._unread = b""
            return False
        self._unread += data
        text = self._unread.decode("utf-8", "ignore")  # the last character may be incomplete
        # What is still to come whole: a picture, between hiding the cursor and showing it, or a control sequence.
        rest = re.search(r"\x1b\[\?25l(?!.*\x1b\[\?25h).*|\x1b(\[[^A-Za-z]*)?$", text, re.DOTALL)
        whole = text[:rest.start()] if rest else text
        self.screen.write(whole)
        self._unread = self._unread[len(whole.encode()):]
        return True

    def until(self, shown, what):
        """Waits until `shown(text of the screen)`; returns that text."""
        end = time.monotonic() + DEADLINE_S
        more = True
        while not shown(self.screen.text()):
            if time.monotonic() > end or not more:
                raise AssertionError(f"not seen: {what}\n{self.screen.text()}")
            more = self.read()
        return self.screen.text()

    def wait(self):
        """Waits for the end of the program; returns its exit status."""
        while self.read():
            pass
        self.status = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
        return self.status
