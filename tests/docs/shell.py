# SPDX-License-Identifier: Apache-2.0
"""Runs commands one after another in one folder, as a reader of a page does."""
import os
import re
import select
import signal
import subprocess
import time

DEADLINE_S = 100
FOLDERS = ("bench", "docs", "examples", "scripts", "tests")


class Shell:
    """Commands run under bash with the built programs in PATH, in a folder that looks like the source.

    programs/, which a page's setting may fill, comes first in PATH. mpirun accepts any number of ranks, and root.
    """

    def __init__(self, folder, source):
        self.status = 0
        self.folder = folder
        paths = [f"{folder}/programs", f"{folder}/build/release/bin", os.environ["PATH"]]
        self.environment = {**os.environ, "PATH": ":".join(paths), "LC_ALL": "C.UTF-8", "OMPI_ALLOW_RUN_AS_ROOT": "1",
                            "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_rmaps_base_oversubscribe": "1",
                            "OMPI_MCA_mpi_yield_when_idle": "1"}
        os.makedirs(f"{folder}/build/release")
        os.mkdir(f"{folder}/programs")
        build = os.path.dirname(os.environ["ADARUN_TEST_BIN"])
        for name in ("bin", "adasum", "python"):
            os.symlink(os.path.join(build, name), f"{folder}/build/release/{name}")
        for name in FOLDERS:
            os.symlink(os.path.join(source, name), f"{folder}/{name}")

    def take_down(self):
        """Removes from the folder what belongs to the source."""
        for name in FOLDERS:
            os.unlink(f"{self.folder}/{name}")

    def prepare(self, words):
        """Runs a script that must not fail; `$?` is kept."""
        status = self.status
        failed, said = self.run(f"set -e\n{words}")
        self.status = status
        if failed:
            raise AssertionError(f"{words}\nstatus {failed}: {said}")

    def run(self, command, until=""):
        """Returns status and output (stdout and stderr together); the status is `$?` of the next command."""
        words = f"(exit {self.status})\n{command}"
        with subprocess.Popen(["bash", "-c", words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              env=self.environment, start_new_session=True) as process:
            try:
                said = self._await(process, until)
            finally:
                if process.poll() is None:
                    os.killpg(process.pid, signal.SIGKILL)
        self.status = process.returncode if process.returncode >= 0 else 128 - process.returncode
        return self.status, said

    def _await(self, process, until):
        """The output up to the end; sends one Ctrl-C when the output matches `until`."""
        end = time.monotonic() + DEADLINE_S
        said, interrupted = b"", False
        while True:
            ready, _, _ = select.select([process.stdout], [], [], max(0, end - time.monotonic()))
            if not ready:
                raise TimeoutError(f"no end within {DEADLINE_S} s; so far: {said.decode(errors='replace')}")
            more = os.read(process.stdout.fileno(), 65536)
            if not more:
                process.wait(max(1, end - time.monotonic()))
                return said.decode(errors="replace")
            said += more
            if until and not interrupted and re.search(until, said.decode(errors="replace"), re.MULTILINE):
                interrupted = True
                os.killpg(process.pid, signal.SIGINT)
