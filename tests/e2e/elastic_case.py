# SPDX-License-Identifier: Apache-2.0
"""Trainings that are disturbed in the middle, and continue within the job."""
import os
import re
import signal
import subprocess

from disturbed import Disturbed
from e2e import DEADLINE_S, hosts, parent_of, start

SMALL = ("--adasum-world", "any", "--communicator", "socket", "--epochs", "1", "--log-every", "1", "--eval")
MLP = ("--model", "mlp", "--max-steps", "60")
CONTINUES = r"continues: epoch 1, (\d+) steps of it done"


class ElasticCase(Disturbed):
    """Jobs that continue while some of their ranks are left."""

    def disturbed(self, model, disturb, options=(), on=None, least=2, status=0):
        """Runs a job on the hosts `on`, by default two ranks on each, which disturb() disturbs and
        which ends with this status; returns its stderr."""
        with start("train", "--hosts", on or hosts(2), "--min-ranks", least, *options, "--", *SMALL, *model,
                   stdout=subprocess.DEVNULL) as job:
            try:
                disturb()
                _, stderr = job.communicate(timeout=DEADLINE_S)
            finally:
                job.kill()
        self.assertEqual(job.returncode, status, stderr)
        return stderr

    def kill(self, *ranks, at_step, by=signal.SIGKILL):
        self.await_step(ranks[0], 1)
        pids = [self.pid_of(rank) for rank in ranks]
        self.await_step(ranks[0], at_step)
        for pid in pids:
            os.kill(pid, by)

    def end_agent(self, rank, by):
        self.await_step(rank, 20)
        os.kill(parent_of(self.pid_of(rank)), by)

    def ends_of(self, ranks, folder="log_output"):
        """The last checksum and accuracy of each of these ranks."""
        return {tuple(re.findall(r"(?:weights: checksum|accuracy:) (\S+)", self.log_of(rank, folder))[-2:]) for rank in ranks}
