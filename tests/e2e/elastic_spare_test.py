# SPDX-License-Identifier: Apache-2.0
"""adarun train --min-ranks --spare: a node is lost in the middle of a training, and a spare joins in its place."""
import os
import signal
import time

from cutting import cut, mend
from e2e import DEADLINE_S, adarun, await_that, events, job_file, lines_of, state_of, write
from disturbed import MLP, ElasticCase
from json_schema import misfits, read_schema

LONG = ("--model", "mlp", "--max-steps", "500")


def runs(pid):
    """Whether the process exists, and is no zombie."""
    try:
        return state_of(pid) not in "ZX"
    except (FileNotFoundError, ProcessLookupError):
        return False


class ElasticSpare(ElasticCase):
    """Jobs on node1 and node2, with the spare node3."""

    def with_spares(self, disturb, options=(), on="node[1-2]:2", spares="node3", least=2):
        return self.disturbed(LONG, disturb, ("--spare", spares, *options), on, least)

    def await_event(self, kind, times=1, **wanted):
        """The first event of this kind with these fields, once there are so many of them."""
        end = time.monotonic() + DEADLINE_S
        while True:
            found = [event for event in events(kind) if wanted.items() <= event.items()]
            if len(found) >= times:
                return found[0]
            self.assertLess(time.monotonic(), end, f"no event {kind} {wanted}")
            time.sleep(0.005)

    def await_return(self, rank):
        """Returns when a rank has come back. It may be named as a member before that, too: until its node counts as lost."""
        await_that(lambda: any(rank in event["ranks"] and event["message"].endswith("back") for event in events("members")),
                   f"rank {rank} does not come back")

    def kill_spare_as_it_comes(self):
        self.end_agent(3, signal.SIGKILL)
        self.await_event("started", times=2, rank=2)
        os.kill(self.await_event("connected", node="node3")["agent_pid"], signal.SIGKILL)

    def check_that_all_have_come(self, nodes):
        """All ranks are there at the end, on these nodes, within one attempt, with the same weights."""
        job = job_file()
        self.assertEqual([(rank["node"], rank["state"]) for rank in job["ranks"]], [(node, "done") for node in nodes])
        self.assertNotIn("earlier_attempts", job)
        self.assertEqual(events("members")[-1]["ranks"], list(range(len(nodes))))
        self.assertEqual(len(self.ends_of(range(len(nodes)))), 1)

    def test_joins_in_the_place_of_a_node_whose_agent_is_killed(self):
        stderr = self.with_spares(lambda: self.end_agent(3, signal.SIGKILL))
        self.assertRegex(stderr, r"adarun: node2: .*; the job continues with 2 of 4 ranks; node3 takes its place\n")
        self.assertRegex(stderr, r"rank [23] on node3 \(device [01]\) has come back; the job continues with 4 of 4 ranks\n")
        self.check_that_all_have_come(["node1", "node1", "node3", "node3"])
        self.assertEqual([(event["node"], event["spare"]) for event in events("replaced")], [("node2", "node3")])
        job, schema = job_file(), read_schema("job")
        self.assertEqual([(node["host"], node["number"], node["ranks"]) for node in job["replaced_nodes"]],
                         [("node2", 1, [2, 3])])
        self.assertEqual(misfits(job, schema, schema), [])

    def test_a_node_that_was_lost_comes_back_by_one_resize(self):
        resized = []

        def disturb():
            self.end_agent(3, signal.SIGKILL)
            self.await_event("members", ranks=[0, 1])
            resized.append(adarun("resize", "log_output", "--add", "node2", "--now").expect(0))

        self.disturbed(LONG, disturb, on="node[1-2]:2")
        self.assertIn("node2 joins, and the job continues with 4 ranks on 2 nodes", resized[0].stdout)
        job = job_file()
        self.assertEqual([(rank["node"], rank["state"]) for rank in job["ranks"]],
                         [(node, "done") for node in ("node1", "node1", "node2", "node2")])

    def test_joins_when_the_agent_of_a_node_that_was_told_to_end_has_ended(self):
        stderr = self.with_spares(lambda: self.end_agent(3, signal.SIGTERM))
        self.assertRegex(stderr, "node2: the agent was told to end: Terminated; the job continues with 2 of 4 ranks\n")
        self.assertIn("node2: nothing runs there any more; node3 takes its place\n", stderr)
        self.check_that_all_have_come(["node1", "node1", "node3", "node3"])

    def test_joins_with_its_files_when_no_rank_runs_any_more_on_a_node_that_is_cut_off(self):
        write("staged", "text")
        old = []

        def disturb():
            self.await_step(3, 20)
            old.append(self.pid_of(3))
            cut("node2")
            self.await_event("replaced", node="node2")
            self.assertFalse(runs(old[0]), "the old rank 3 runs")

        try:
            stderr = self.with_spares(disturb, ("--lease", "2s", "--stage", "staged"))
        finally:
            mend("node2")
        self.assertRegex(stderr, r"node2: no sign of life.*; the job continues with 2 of 4 ranks\n")
        self.assertIn("node2: nothing runs there any more; node3 takes its place\n", stderr)
        self.check_that_all_have_come(["node1", "node1", "node3", "node3"])

    def test_has_ranks_that_are_started_again_there(self):
        def disturb():
            self.end_agent(3, signal.SIGKILL)
            self.await_return(3)
            os.kill(self.pid_of(3), signal.SIGKILL)

        stderr = self.with_spares(disturb, ("--rank-restarts", 1))
        self.assertRegex(stderr, r"rank 3 on node3 \(device 1\): SIGKILL \(Killed\).* it is started again \(restarts left: 0\)\n")
        self.check_that_all_have_come(["node1", "node1", "node3", "node3"])

    def test_joins_in_the_place_of_the_first_node(self):
        stderr = self.with_spares(lambda: self.end_agent(0, signal.SIGKILL))
        self.check_that_all_have_come(["node3", "node3", "node2", "node2"])

    def test_that_dies_as_it_comes_does_not_end_the_job(self):
        stderr = self.with_spares(self.kill_spare_as_it_comes)
        self.assertRegex(stderr, r"node3: .*; the job continues with 2 of 4 ranks; no spare can take its place\n")
        self.assertEqual(len(self.ends_of((0, 1))), 1)

    def test_of_which_the_next_one_is_taken_if_the_first_dies_as_it_comes(self):
        stderr = self.with_spares(self.kill_spare_as_it_comes, spares="node[3-4]")
        self.check_that_all_have_come(["node1", "node1", "node4", "node4"])

    def test_for_one_of_two_nodes_that_are_lost(self):
        def disturb():
            self.end_agent(2, signal.SIGKILL)
            self.end_agent(3, signal.SIGKILL)

        stderr = self.with_spares(disturb, on="node1:2,node2:1,node3:1", spares="node4")
        self.assertIn("; node4 takes its place\n", stderr)
        self.assertRegex(stderr, "; the job continues with [23] of 4 ranks; no spare can take its place\n")
        self.assertEqual(len(events("members")[-1]["ranks"]), 3)

    def test_runs_programs_of_ones_own(self):
        self.run_script("elastic_script.py", "--spare", "node3", "--min-ranks", 2, "--env", "AT_LEAST=4", "--env", "ENDS=node",
                        on="node[1-2]:2")
        for rank in range(4):
            self.assertRegex(self.log_of(rank), rf"^rank {rank} of 4: 10 after \d changes\n$")
        self.assertIn("ADARUN_RANK_RESTARTS=1", lines_of("log_output/env_2.log"))

    def test_is_a_member_of_the_next_attempt(self):
        def disturb():
            self.end_agent(2, signal.SIGKILL)
            self.await_event("members", ranks=[0, 1, 2])
            self.end_agent(0, signal.SIGKILL)

        stderr = self.with_spares(disturb, on="node1:2,node2:1", spares="node[3-4]")
        self.assertIn("fewer than --min-ranks 2 are left", stderr)
        self.assertIn("node1 is lost; node4 joins, and the job continues with 3 ranks on 2 nodes", stderr)
        job = job_file()
        self.assertEqual([rank["node"] for rank in job["ranks"]], ["node4", "node4", "node3"])
        self.assertEqual([attempt["nodes"] for attempt in job["earlier_attempts"]], ["node[1,3]"])

    def test_is_for_another_attempt_if_too_few_ranks_are_left(self):
        stderr = self.with_spares(lambda: self.end_agent(3, signal.SIGKILL), least=3)
        self.assertIn("fewer than --min-ranks 3 are left", stderr)
        self.assertIn("node2 is lost; node3 joins, and the job continues with 4 ranks on 2 nodes", stderr)

    def test_is_for_another_attempt_if_there_is_a_rank_table(self):
        write("table.json", adarun("ranktable", "gen", "--plain", "--hosts", "node[1-3]:2", "-o", "-").stdout)
        stderr = self.disturbed(MLP, lambda: self.end_agent(3, signal.SIGKILL), ("-r", "table.json", "--spare", "node3"),
                                on="node[1-3]:2")
        self.assertIn("; a spare takes its place only in another attempt, as there is a rank table (-r)\n", stderr)
        self.assertEqual(len(self.ends_of((0, 1))), 1)
