# SPDX-License-Identifier: Apache-2.0
"""Shared code of the tests that run inside jobs of a real Slurm."""
import contextlib
import os
import subprocess

from e2e import Case, adarun_command, await_that, read, run


def slurm(*words, check=True):
    return run(*words, errors="replace", check=check)


class Slurm(Case):
    def setUp(self):
        super().setUp()
        self.addCleanup(self.await_no_job)

    def await_no_job(self):
        await_that(lambda: slurm("squeue", "-h").stdout == "", "jobs are left", pause_s=0.05)

    def launch(self, *words, tasks=2):
        """Runs adarun launch in an allocation of both nodes."""
        return slurm("salloc", "-Q", "-N2", f"--ntasks-per-node={tasks}", *adarun_command("launch", "--via", "slurm", *words),
                     check=False)

    @contextlib.contextmanager
    def allocation(self, tasks=2):
        """Allocates both nodes without running anything; yields the environment of the allocation."""
        inside = "env -0 >environment.new && mv environment.new environment && read end"
        with subprocess.Popen(["salloc", "-Q", "-N2", f"--ntasks-per-node={tasks}", "sh", "-c", inside], stdin=subprocess.PIPE):
            await_that(lambda: os.path.exists("environment"))
            yield dict(item.split("=", 1) for item in read("environment").split("\0") if item)
