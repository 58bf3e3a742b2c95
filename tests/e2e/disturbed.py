# SPDX-License-Identifier: Apache-2.0
"""Jobs that are disturbed in the middle of an epoch."""
import contextlib
import os
import re

from e2e import Case, await_that, processes


class Disturbed(Case):
    """Shared code of the tests in which a job of four ranks is disturbed in the middle of an epoch."""

    def pid_of(self, rank):
        for pid, command in processes().items():
            if "adarun-trainer" not in command:
                continue
            with contextlib.suppress(OSError), open(f"/proc/{pid}/environ", "rb") as file:
                if f"RANK_ID={rank}".encode() in file.read().split(b"\0"):
                    return pid
        self.fail(f"no process is rank {rank}")

    def await_step(self, rank, step):
        await_that(lambda: os.path.exists(f"log_output/worker_{rank}.log") and f"step: {step}," in self.log_of(rank),
                   f"rank {rank} does not come to step {step}")

    def last_checkpoint(self):
        """The step of epoch 1 at which rank 0 saw its first attempt's last checkpoint written."""
        first, = (name for name in os.listdir() if name.startswith("log_output."))
        return int(re.findall(r"checkpoint: epoch 1 step (\d+)", self.log_of(0, first))[-1])

    def resumed_at(self):
        return int(re.search(r"resumed: epoch 1, (\d+) steps of it done", self.log_of(0)).group(1))
