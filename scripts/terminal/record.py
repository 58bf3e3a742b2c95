# SPDX-License-Identifier: Apache-2.0
"""Runs commands in a terminal of a fixed size and returns what it showed, picture by picture."""
import codecs
import fcntl
import os
import pty
import select
import signal
import struct
import termios
import time
from dataclasses import dataclass

from terminal.screen import Screen

PROMPT = "\x1b[32m$\x1b[0m "
TYPING_S = 0.06  # From key to key.
READING_S = 1.5  # A still picture stays no longer, except the last.
BLOCK = 1 << 16


@dataclass(frozen=True)
class Frame:
    """What the terminal shows from `time` seconds after the beginning on: rows as Screen.rows() has them."""
    time: float
    rows: tuple


class Film:
    """Collects frames: at most one in `interval` seconds, none that is like the one before."""

    def __init__(self, screen, interval):
        self.screen, self.interval = screen, interval
        self.frames = [Frame(0, screen.rows())]
        self.left_out = 0  # Seconds without change that the film does not have.
        self.changed = None

    def write(self, now, text):
        """Output of this time, which may be any later one."""
        self.look(now)
        self.screen.write(text)
        self.changed = self.changed if self.changed is not None else now

    def look(self, now):
        """Takes a picture of what has changed, if that was long enough ago."""
        if self.changed is None or now < self.changed + self.interval:
            return
        when = self.changed + self.interval
        self.changed = None
        rows = self.screen.rows()
        last = self.frames[-1]
        if rows == last.rows:
            return
        self.left_out += max(0, when - self.left_out - last.time - READING_S)
        self.frames.append(Frame(round(when - self.left_out, 3), rows))

    def end(self, now):
        self.look(max(now, (self.changed or 0) + self.interval))


def start(command, columns, lines, folder, environment):
    """Process id and terminal of a command that runs in `folder`."""
    pid, terminal = pty.fork()
    if pid == 0:
        try:
            os.chdir(folder)
            os.execvpe(command[0], command, environment)
        finally:
            os._exit(127)
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))
    return pid, terminal


def outputs_of(terminal, deadline):
    """What the command writes, until it has ended; TimeoutError at the deadline."""
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    while True:
        if time.monotonic() > deadline:
            raise TimeoutError("it runs for too long")
        if not select.select([terminal], [], [], 1)[0]:
            continue
        try:
            block = os.read(terminal, BLOCK)
        except OSError:  # Linux: the other end is closed.
            return
        if not block:
            return
        yield decoder.decode(block)


def run(command, film, folder, environment, timeout, clock):
    """Runs one command, whose output the film gets; returns its exit status."""
    pid, terminal = start(command, film.screen.columns, film.screen.lines, folder, environment)
    status = None
    try:
        for text in outputs_of(terminal, time.monotonic() + timeout):
            film.write(clock(), text)
        status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    finally:
        os.close(terminal)
        if status is None:
            os.kill(pid, signal.SIGTERM)
            os.waitpid(pid, 0)
    return status


def record(commands, size, folder, environment, interval=0.2, timeout=240):
    """The frames of a session at a prompt in which each of `commands`, lists of words, is typed and run, one after the
    other. `size`: columns and lines. Raises RuntimeError with the screen's text for a command that fails."""
    screen = Screen(*size)
    film = Film(screen, interval)
    typed = 0.0  # Nobody waits for typing: the clock is put forward.
    begin = time.monotonic()

    def clock():
        return time.monotonic() - begin + typed

    for words in commands:
        film.write(clock(), PROMPT)
        for char in " ".join(words):
            typed += TYPING_S
            film.write(clock(), char)
        film.write(clock(), "\r\n")
        status = run(words, film, folder, environment, timeout, clock)
        if status != 0:
            shown = "\n".join("".join(text for text, _ in row) for row in screen.rows())
            raise RuntimeError(f"{' '.join(words)}: exit status {status}\n{shown}")
    film.write(clock(), PROMPT)
    film.end(clock())
    return film.frames
