# SPDX-License-Identifier: Apache-2.0
"""Whatever is lost, and when, the job continues or ends with one line that says why, and nothing is left running."""
import os
import signal
import subprocess
import time

from cutting import cut, end_loss, lose_packets, mend, signal_all, small_buffers
from e2e import DEADLINE_S, Case, adarun, await_in_log, await_that, lines_of, start, survivors, write

# A rank says which agent started it, and waits; the last attempt of a case ends.
SCRIPT = """{trap}echo "$ADARUN_RESTART_COUNT $RANK_ID $PPID" >>{folder}/ranks
test $ADARUN_RESTART_COUNT = {last} || sleep 1000 & wait; echo "$ADARUN_ATTEMPT_NODES"; {end}"""


class Losses(Case):
    def run_job(self, *options, last, disturb, trap="", end="exit 0", ranks=3):
        """Runs a job whose attempt `last` ends; calls `disturb(agents)` when all ranks of an earlier one run."""
        script = SCRIPT.format(folder=self.folder, last=last, trap=trap, end=end)
        write("ranks", "")
        with start("launch", "--lease", "2s", "--grace", "1s", *options, "--", "sh", "-c", script) as job:
            for attempt in range(last):
                disturb(self.agents_of(attempt, ranks))
            out, err = job.communicate(timeout=DEADLINE_S)
        self.assertEqual(survivors(5), [])
        return job.returncode, sorted(out.split()), err

    def agents_of(self, attempt, ranks):
        """The agents of an attempt, by rank, once all of its ranks run."""
        end = time.monotonic() + DEADLINE_S
        while time.monotonic() < end:
            found = [line.split() for line in lines_of("ranks")]
            agents = {int(rank): int(agent) for number, rank, agent in found if int(number) == attempt}
            if len(agents) == ranks:
                return agents
            time.sleep(0.01)
        self.fail(f"attempt {attempt} does not come")

    def await_part_of_copy(self):
        """Returns when the file of a stage list has begun to arrive; the rest takes longer than what follows."""
        await_that(lambda: any(name not in ("large", "log_output") for name in os.listdir(".")), "nothing arrives")

    def kill(self, *pids):
        for pid in pids:
            os.kill(pid, signal.SIGKILL)

    def test_two_nodes_at_once(self):
        status, nodes, err = self.run_job("--hosts", "node[1-3]:1", "--min-nodes", 1, last=1,
                                          disturb=lambda agents: self.kill(agents[0], agents[2]))
        self.assertEqual((status, nodes), (0, ["node2"]), err)

    def test_a_spare_after_it_has_joined(self):
        status, nodes, err = self.run_job("--hosts", "node[1-2]:1", "--spare", "node3", "--min-nodes", 1, last=2, ranks=2,
                                          disturb=lambda agents: self.kill(agents[1]))
        self.assertEqual((status, nodes), (0, ["node1"]), err)
        self.assertIn("node2 is lost; node3 joins", err)
        self.assertIn("node3 is lost", err)

    def test_another_node_in_the_grace(self):
        def disturb(agents):
            self.kill(agents[2])
            await_in_log("hung up")
            self.kill(agents[1])
        status, nodes, err = self.run_job("--hosts", "node[1-3]:1", "--spare", "node4", "--min-nodes", 1, last=1, disturb=disturb,
                                          trap="test $ADARUN_RESTART_COUNT != 0 || trap '' TERM; ")
        self.assertEqual(status, 0, err)
        self.assertEqual(nodes, ["node[1,4]"] * 2, err)

    def test_every_node(self):
        status, _, err = self.run_job("--hosts", "node[1-3]:1", "--spare", "node4", "--min-nodes", 2, last=1,
                                      disturb=lambda agents: self.kill(*agents.values()))
        self.assertEqual(status, 125, err)
        self.assertIn("too few nodes are left: the job needs 2", err)

    def test_what_a_node_sends(self):
        self.lose_one_direction(outgoing=True)

    def test_what_is_sent_to_a_node(self):
        self.lose_one_direction(outgoing=False)

    def lose_one_direction(self, outgoing):
        """The ranks of node2 have ended when node3 takes its place, though it hears only one side or is heard by none."""
        def disturb(agents):
            del agents
            lose_packets("node2", outgoing)
            self.addCleanup(end_loss, "node2", outgoing)
        status, nodes, err = self.run_job("--hosts", "node[1-2]:1", "--spare", "node3", last=1, ranks=2, disturb=disturb)
        self.assertEqual((status, nodes), (0, ["node[1,3]"] * 2), err)
        self.assertIn("node2 is lost; node3 joins", err)

    def stage(self, await_moment, *options, lose=cut, mend=mend):
        """Stages a file to two nodes; node2 is lost at a moment, and node3 takes its place."""
        with start("launch", "--hosts", "node[1-2]:1", "--spare", "node3", *options, "--stage", "large:copy", "--", "sh",
                   "-c", 'echo "$ADARUN_ATTEMPT_NODES"') as job:
            try:
                await_moment()
                lose("node2")
                out, err = job.communicate(timeout=DEADLINE_S)
            finally:
                mend("node2")
        self.assertEqual(job.returncode, 0, err)
        self.assertEqual(out.split(), ["node[1,3]"] * 2, err)

    def test_a_node_while_files_are_staged(self):
        slow = "sanitizers" in adarun("--version").stdout
        with open("large", "wb") as file:
            file.truncate(1 << 26 if slow else 1 << 30)
        self.stage(self.await_part_of_copy, "--lease", "2s", "--workdir", self.folder)

    def test_a_node_that_takes_in_nothing_before_files_are_sent_to_it(self):
        """What is sent to it waits, and the other nodes must not wait with it."""
        size = 300 << 20
        with open("large", "wb") as file:
            file.truncate(size)
        own = os.environ["ADARUN_TEST_OWN"]
        # While node1 and then the launcher read a file that may be the same, nothing is sent.
        subprocess.run(["ssh", "node1", f"truncate -s {size - 1} {own}/copy; echo >>{own}/copy"], check=True)
        with small_buffers("node2"):
            self.stage(lambda: await_in_log("node1 connected after", "node2 connected after"), "--lease", "4s", "--workdir", own,
                       lose=lambda name: signal_all(name, signal.SIGSTOP), mend=lambda name: signal_all(name, signal.SIGCONT))

    def test_the_launcher_between_two_attempts(self):
        with start("launch", "--hosts", "node[1-2]:1", "--restarts", 1, "--restart-delay", "60s", "--lease", "2s", "--",
                   "false", stdout=None) as job:
            while "restart 1 of 1" not in job.stderr.readline():
                pass
            job.kill()
        self.assertEqual(survivors(5), [])

    def test_the_disk_under_the_logs_of_the_next_attempt(self):
        self.small_disk("256k")
        status, _, err = self.run_job("--hosts", "node[1-2]:1", "--log-dir", "disk/logs", "--restarts", 2, last=1, ranks=2,
                                      disturb=self.fill_disk)
        self.assertEqual(status, 125, err)
        self.assertIn("No space left on device", err)

    def fill_disk(self, agents):
        try:
            with open("disk/rest", "wb", buffering=0) as file:
                while True:
                    file.write(b"x" * 1024)
        except OSError:
            pass
        self.kill(agents[1])
