# SPDX-License-Identifier: Apache-2.0
"""A job whose connections are cut for less than the lease: no byte and no rank is lost."""
import contextlib
import os
import signal
import subprocess
import sys
import time

from cutting import WRITER, CutCase, cut, end_sessions, mend
from e2e import DEADLINE_S, await_end, events, hosts, launch, lines_of, start, survivors


class Cut(CutCase):
    def test_sessions_that_sshd_ends_are_replaced(self):
        with self.job(2, WRITER, "200000", self.folder) as job:
            self.assert_three_cuts_lose_nothing(job, end_sessions)

    def test_a_pulled_cable_loses_nothing_and_holds_no_rank_up(self):
        with self.job(1, WRITER, "400000", self.folder, options=["--lease", "60s"]) as job:
            cut("node2")
            self.addCleanup(mend, "node2")
            self.let_go()
            with self.nobody_waits_for(job):
                self.await_words(job, "node2: cut off")
                # Meanwhile the ranks write more than buffers and pipes hold.
                with subprocess.Popen(["tail", "-f", "wrote_1"], stdout=subprocess.PIPE, text=True) as tail:
                    any(line.startswith("rank 1 line 399999 ") for line in tail.stdout)
                    tail.kill()
                mend("node2")
                self.assertEqual(job.wait(DEADLINE_S), 0, self.words())
        self.assertIn("node2: found again", self.words())
        self.assert_logs_are_what_ranks_wrote(2)

    def test_the_end_of_a_job_that_comes_during_a_cut_is_told(self):
        script = ("import os; go = open('%s/go', 'rb', 0); print('up', flush=True); go.readline(); "
                  "raise SystemExit(7 * int(os.environ['RANK']))")
        with self.job(1, script % self.folder, options=["--lease", "60s"]) as job:
            cut("node2")
            self.addCleanup(mend, "node2")
            self.let_go()
            self.await_words(job, "node2: cut off")
            mend("node2")
            job.stdout.read()
            self.assertEqual(job.wait(DEADLINE_S), 7, self.words())

    def test_attach_shows_all_that_ranks_wrote_before_and_behind_a_cut(self):
        self.make_go()
        started = launch("--detach", "--", sys.executable, "-c", WRITER, "100000", self.folder, hosts=hosts(2)).expect(0)
        self.let_go()
        lines = []
        with start("attach", started.stdout.strip(), stderr=None) as attached:
            for _ in range(3):
                lines += [attached.stdout.readline() for _ in range(20000)]
                end_sessions()
            lines += attached.stdout.readlines()
            self.assertEqual(attached.wait(DEADLINE_S), 0)
        printed = sorted(line.rstrip("\n") for line in lines if not line.startswith("adarun: "))
        wrote = sorted(line for rank in range(4) for line in lines_of(f"wrote_{rank}"))
        self.assertTrue(printed == wrote, f"{len(printed)} lines printed, {len(wrote)} written")
        self.assert_logs_are_what_ranks_wrote(4)

    def test_an_mpi_program_finds_its_world_though_sessions_end_all_the_while(self):
        program = os.path.join(os.environ["ADARUN_TEST_BIN"], "mpi_hello")
        if not os.path.exists(program):
            self.skipTest("built without MPI")
        script = ("import os, sys; go = open(sys.argv[1], 'rb', 0); print('up', flush=True); go.readline(); "
                  "os.execv(sys.argv[2], sys.argv[2:])")
        with self.job(2, script, "go", program) as job:
            self.let_go()
            for _ in range(8):
                end_sessions()
                with contextlib.suppress(subprocess.TimeoutExpired):
                    job.wait(0.3)
            self.finish(job)
        self.assertEqual(self.logs(4), [f"up\nrank {rank} of 4: sum 6\n" for rank in range(4)])

    def test_a_node_whose_agent_does_not_run_is_busy_and_not_looked_for(self):
        script = "go = open('%s/go', 'rb', 0); print('up', flush=True); go.readline()"
        with self.job(1, script % self.folder, options=["--lease", "6s"]) as job:
            agent = self.agent()
            os.kill(agent, signal.SIGSTOP)
            try:
                self.await_words(job, "node[12]: busy: its agent has not answered for 3 s, though the node acknowledges")
            finally:
                os.kill(agent, signal.SIGCONT)
            self.await_words(job, "node[12]: found again, nothing was lost")
            self.let_go()
            self.finish(job)
        self.assertNotIn("reconnecting", self.words())

    def test_adarun_may_not_run_for_longer_than_the_lease_while_its_machine_answers(self):
        script = "go = open('%s/go', 'rb', 0); print('up', flush=True); go.readline()"
        with self.job(1, script % self.folder, options=["--lease", "2s"]) as job:
            os.kill(job.pid, signal.SIGSTOP)
            try:
                await_end(self.agent(), time.monotonic() + 4)  # It is not to end.
            finally:
                os.kill(job.pid, signal.SIGCONT)
            self.let_go()
            self.finish(job)
        self.assertEqual(self.log_of(0), "up\n")

    def test_many_ranks_of_a_node_are_started_within_the_lease(self):
        launch("--via", "local", "--lease", "1s", "-q", "--", "true", hosts=f"{os.uname().nodename}:500").expect(0)

    @staticmethod
    def agent():
        return events("connected")[0]["agent_pid"]

    def test_an_agent_that_is_gone_is_not_looked_for_until_the_lease_is_over(self):
        script = "go = open('%s/go', 'rb', 0); print('up', flush=True); go.readline(); import time; time.sleep(1000)"
        with self.job(1, script % self.folder, options=["--lease", "10m"]) as job:
            self.let_go()
            os.kill(self.agent(), signal.SIGKILL)
            job.stdout.read()
            self.assertEqual(job.wait(DEADLINE_S), 125, self.words())
        self.assertIn("the agent hung up", self.words())
        self.assertEqual(survivors(deadline_s=20), [])
