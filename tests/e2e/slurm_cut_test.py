# SPDX-License-Identifier: Apache-2.0
"""A job of --via slurm in a real Slurm whose connections to nodes are cut: adarun reconnects to the agents."""
import os
import signal
import sys
import time

from cutting import WRITER, CutCase, cut, end_sruns, mend
from e2e import DEADLINE_S, adarun, await_end, await_that, job_file, lines_of
from slurm_case import Slurm, slurm


class Cut(CutCase, Slurm):
    def setUp(self):
        super().setUp()
        self.addCleanup(slurm, "scancel", "--user=root")  # In case the test fails.

    def detach(self, inside, *options):
        """Starts a detached job and waits until all ranks are up; returns its id."""
        self.make_go()
        started = adarun("launch", "--via", "slurm", "--detach", *options, "--", sys.executable, "-c", WRITER, "10000",
                         self.folder, env=inside).expect(0)
        await_that(lambda: all(self.log_of(rank) == "up\n" for rank in range(4)))
        return started.stdout.strip()

    def kill_supervisor(self):
        pid = job_file()["supervisor"]["pid"]
        os.kill(pid, signal.SIGKILL)
        await_end(pid, time.monotonic() + DEADLINE_S)

    def test_an_agent_outlives_its_srun(self):
        with self.allocation() as inside, self.job(2, WRITER, "200000", self.folder, slurm=inside) as job:
            self.assert_three_cuts_lose_nothing(job, end_sruns)

    def test_a_pulled_cable_loses_nothing(self):
        with self.allocation() as inside, \
                self.job(2, WRITER, "20000", self.folder, options=["--lease", "60s"], slurm=inside) as job:
            with self.nobody_waits_for(job):
                cut("node2")
                try:
                    self.let_go()
                    self.await_words(job, "node2: cut off")
                finally:  # At the end of the allocation Slurm waits for the node.
                    mend("node2")
                self.assertEqual(job.wait(DEADLINE_S), 0, self.words())
        self.assertIn("node2: found again", self.words())
        self.assert_logs_are_what_ranks_wrote(4)

    def test_attach_shows_all_that_ranks_wrote_before_and_behind_a_cut(self):
        with self.allocation() as inside:
            job = self.detach(inside)
            end_sruns()
            self.let_go()
            attached = adarun("attach", job).expect(0)
        printed = sorted(line for line in attached.stdout.splitlines() if not line.startswith("adarun: "))
        wrote = sorted(line for rank in range(4) for line in lines_of(f"wrote_{rank}"))
        self.assertTrue(printed == wrote, f"{len(printed)} lines printed, {len(wrote)} written")
        self.assert_logs_are_what_ranks_wrote(4)

    def test_what_ranks_wrote_when_adarun_was_dead_is_called_for_in_the_allocation(self):
        with self.allocation() as inside:
            job = self.detach(inside, "--lease", "3s")
            self.kill_supervisor()
            self.let_go()
            collect = ["logs", job, "--collect", "--via", "slurm"]
            await_that(lambda: adarun(*collect, env=inside).returncode == 0, "logs are not collected", pause_s=0.05)
        self.assert_logs_are_what_ranks_wrote(4)

    def test_a_cancelled_job_leaves_nothing_though_adarun_is_dead_and_the_lease_is_long(self):
        with self.allocation() as inside:
            self.detach(inside, "--lease", "1h")
            self.kill_supervisor()
            slurm("scancel", inside["SLURM_JOB_ID"])
            self.await_no_job()
