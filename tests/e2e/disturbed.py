# SPDX-License-Identifier: Apache-2.0
"""Trainings that are disturbed in the middle of an epoch, and end, are restarted, or continue within the job."""
import contextlib
import os
import re
import signal
import subprocess

from e2e import DEADLINE_S, Case, adarun, await_that, hosts, parent_of, processes, start


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


HERE = os.path.dirname(os.path.abspath(__file__))
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
            disturb()
            _, stderr = job.communicate(timeout=DEADLINE_S)
        self.assertEqual(job.returncode, status, stderr)
        return stderr

    def run_script(self, script, *options, on=None):
        """Runs a script of this folder, by the Python of Debian and with our package, as each rank of a job."""
        if os.environ.get("ADARUN_TEST_SANITIZED"):
            self.skipTest("Python cannot load a library with sanitizers")
        package = os.path.join(os.path.dirname(os.environ["ADARUN_TEST_BIN"]), "python")
        return adarun("launch", "--hosts", on or hosts(2), "--env", f"PYTHONPATH={package}", *options, "--", "/usr/bin/python3", "-B",
                      os.path.join(HERE, script)).expect(0)

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
