# SPDX-License-Identifier: Apache-2.0
"""An interactive shell on a pseudo-terminal."""
import os
import pty
import select
import signal
import time

DEADLINE_S = 60
PROMPT = "READY> "


class Shell:
    """Runs a shell. Type only after its prompt; typed text may contain TABs."""

    def __init__(self, command, environment):
        pid, self.terminal = pty.fork()
        if pid == 0:
            os.execvpe(command[0], command, environment)
        self.pid = pid
        self.said = ""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        os.close(self.terminal)

    def read_until(self, text):
        """Returns the output up to and including `text`; fails at the deadline."""
        end = time.monotonic() + DEADLINE_S
        while text not in self.said:
            ready, _, _ = select.select([self.terminal], [], [], max(0, end - time.monotonic()))
            assert ready, f"{text!r} did not come within {DEADLINE_S} s; what came: {self.said!r}"
            try:
                self.said += os.read(self.terminal, 65536).decode(errors="replace")
            except OSError as error:
                raise AssertionError(f"the shell ended: {self.said!r}") from error
        read, self.said = self.said.split(text, 1)
        return read + text

    def type(self, text):
        data = text.encode()
        while data:
            data = data[os.write(self.terminal, data):]
