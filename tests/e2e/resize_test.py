# SPDX-License-Identifier: Apache-2.0
"""Nodes join and leave a running job."""
import contextlib
import os
import signal
import time

from cutting import cut, end_sessions, mend, pids_on, sessions
from e2e import DEADLINE_S, Case, adarun, await_in_log, await_that, job_file, lines_of, processes, survivors, write

# Each attempt writes where it runs, and waits. On TERM it writes that it may save its state.
SCRIPT = """trap 'echo saved >>{folder}/saved; exit 0' TERM
echo "$RANK_ID of $RANK_SIZE on $ADARUN_ATTEMPT_NODES" >>{folder}/attempt.$ADARUN_RESTART_COUNT
while [ ! -e {folder}/{end} ]; do sleep 0.05; done; exit {status}"""


class Resize(Case):
    def setUp(self):
        super().setUp()
        self.env = {"XDG_STATE_HOME": os.path.join(self.folder, "state")}

    def start(self, *options, end="end", status=0):
        script = SCRIPT.format(folder=self.folder, end=end, status=status)
        done = adarun("launch", "--detach", *options, "--", "sh", "-c", script, env=self.env).expect(0)
        self.addCleanup(self.end_supervisor, done.stdout.strip())
        return done.stdout.strip()

    def end_supervisor(self, job):
        with contextlib.suppress(ProcessLookupError, FileNotFoundError):
            os.kill(job_file(f"{self.folder}/state/adarun/jobs/{job}")["supervisor"]["pid"], signal.SIGKILL)

    def resize(self, *options):
        return adarun("resize", *options, env=self.env)

    def attempt(self, number, ranks):
        """What the ranks of an attempt have written, sorted, once all have."""
        end = time.monotonic() + DEADLINE_S
        while time.monotonic() < end:
            with contextlib.suppress(FileNotFoundError):
                lines = lines_of(f"attempt.{number}")
                if len(lines) == ranks:
                    return sorted(lines)
            time.sleep(0.02)
        self.fail(f"attempt {number} does not come")

    def finish(self, job):
        write("end", "")
        self.assertEqual(adarun("attach", job, env=self.env).returncode, 0)
        self.assertEqual(survivors(5), [])

    def test_a_node_joins_at_once_and_another_leaves(self):
        job = self.start("--hosts", "node[1-2]:2", "--min-nodes", 1)
        self.attempt(0, 4)
        done = self.resize("--add", "node3", "--now").expect(0)
        self.assertEqual(done.stdout.split(": ", 1)[1], "node3 joins, and the job continues with 6 ranks on 3 nodes\n")
        self.assertEqual(self.attempt(1, 6)[-1], "5 of 6 on node[1-3]")
        self.assertEqual(lines_of("saved"), ["saved"] * 4)
        self.resize("--remove", "node1", "--now").expect(0)
        self.assertEqual(self.attempt(2, 4)[0], "0 of 4 on node[2-3]")
        self.finish(job)
        earlier = job_file()["earlier_attempts"]
        self.assertEqual([each["nodes"] for each in earlier], ["node[1-2]", "node[1-3]"])
        self.assertIn("adarun resize --now", earlier[0]["failure"])

    def test_a_job_without_restarts_changes_at_once_alone(self):
        job = self.start("--hosts", "node[1-2]:1")
        refused = self.resize("--remove", "node1").expect(1)
        self.assertIn("its nodes can change only --now", refused.stderr)
        done = self.resize("--add", "node3:2", "--remove", "node1", "--now").expect(0)
        self.assertIn("node1 leaves; node3 joins, and the job continues with 3 ranks on 2 nodes", done.stdout)
        self.assertEqual(self.attempt(1, 3)[0], "0 of 3 on node[2-3]")
        self.finish(job)

    def test_nodes_change_at_the_next_restart(self):
        job = self.start("--hosts", "node[1-2]:1", "--restarts", 1, end="first", status="$((1 - ADARUN_RESTART_COUNT))")
        done = self.resize("--add", "node3", "--remove", "node2").expect(0)
        self.assertIn("node2 leaves; node3 joins at the next restart", done.stdout)
        again = self.resize("--add", "node4").expect(1)
        self.assertIn("another change is under way: node2 leaves; node3 joins", again.stderr)
        self.attempt(0, 2)
        await_in_log("node3 is connected")
        write("first", "")
        self.assertEqual(self.attempt(1, 2)[0], "0 of 2 on node[1,3]")
        self.assertEqual(adarun("attach", job, env=self.env).returncode, 0)

    def test_no_change_waits_for_a_restart_that_cannot_come(self):
        job = self.start("--hosts", "node[1-2]:1", "--restarts", 1, end="end.$ADARUN_RESTART_COUNT",
                         status="$((1 - ADARUN_RESTART_COUNT))")
        for attempt in (0, 1):
            self.attempt(attempt, 2)
            if attempt == 1:
                refused = self.resize("--add", "node3").expect(1)
                self.assertIn("this is its last restart: its nodes can change only --now", refused.stderr)
                status = adarun("status", job, env=self.env)
                self.assertEqual(status.returncode, 0, "the id of the first attempt is that of the job")
                self.assertIn("attempt  2 on node[1-2]", status.stdout)
            write(f"end.{attempt}", "")
        self.assertEqual(adarun("attach", job, env=self.env).returncode, 0)

    def await_agent_on(self, name):
        await_that(lambda: any("adarun-agent" in processes().get(pid, "") for pid in pids_on(name)), f"no agent on {name}")

    def test_a_node_that_is_not_reached_changes_nothing(self):
        job = self.start("--hosts", "node[1-2]:1", "--connect-timeout", "3s")
        cut("node3")
        try:
            done = self.resize("--add", "node3", "--now").expect(1)
        finally:
            mend("node3")
        self.assertRegex(done.stderr, "node3: no connection within 3 s.*; the job continues as it was\n")
        self.assertEqual(len(self.attempt(0, 2)), 2)
        self.finish(job)

    def test_a_spare_that_was_lost_comes_back(self):
        job = self.start("--hosts", "node[1-2]:1", "--spare", "node3", "--restarts", 1, end="first",
                         status="$((1 - ADARUN_RESTART_COUNT))")
        self.attempt(0, 2)
        self.await_agent_on("node3")
        there = pids_on("node3")
        end_sessions([pid for pid in sessions() if pid in there])
        await_in_log("spare node3: ")
        done = self.resize("--add", "node3").expect(0)
        self.assertIn("node3 joins at the next restart", done.stdout)
        await_in_log("node3 is connected")
        write("first", "")
        self.assertEqual(self.attempt(1, 3)[0], "0 of 3 on node[1-3]")
        self.assertEqual(adarun("attach", job, env=self.env).returncode, 0)

    def test_what_cannot_be_is_refused_in_one_line(self):
        job = self.start("--hosts", "node[1-3]:1", "--min-nodes", 2, "--spare", "node4")
        for options, status, line in (
                ([], 2, "say what changes: --add LIST or --remove LIST"),
                (["--add", "node1"], 1, "--add: node1 is in the job already"),
                (["--remove", "node7"], 1, "--remove: node7 is not in the job"),
                (["--remove", "node[1-2]"], 1, "1 node would be left; the job needs 2 (--min-nodes)"),
                (["--add", "node4", "--remove", "node4"], 1, "node4: both added and removed"),
                (["--add", "node9:auto"], 1, "--add: node9:auto: the number of devices is wanted"),
                (["--add", "node[5-"], 1, '--add "node[5-": '),
        ):
            refused = self.resize(*options)
            self.assertEqual((refused.returncode, len(refused.stderr.splitlines())), (status, 1), refused.stderr)
            self.assertIn(line, refused.stderr)
        self.finish(job)
        ended = self.resize(job, "--add", "node9").expect(1)
        self.assertIn("has ended: done", ended.stderr)

    def test_a_job_keeps_to_its_table(self):
        adarun("ranktable", "gen", "--hosts", "node[1-3]:1", "--plain", "-o", "table.json")
        job = self.start("-r", "table.json", "--restarts", 1)
        for option, node, nodes in (("--remove", "node2", 2), ("--add", "node2", 3)):
            done = self.resize(option, node, "--now").expect(0)
            self.assertIn(f"on {nodes} nodes", done.stdout)
        self.assertEqual(self.attempt(2, 3)[1], "1 of 3 on node[1-3]")  # In the order of the table.
        refused = self.resize("--add", "node4", "--now")
        self.assertIn("node4: not in the job's rank table", refused.stderr)
        self.finish(job)

    def test_a_job_keeps_to_the_rule_of_adasum(self):
        job = self.start("--hosts", "node[1-2]:8", "--adasum")
        refused = self.resize("--remove", "node2", "--now").expect(1)
        self.assertIn("16", refused.stderr)
        self.assertIn("with 32 ranks on 4 nodes", self.resize("--add", "node[3-4]", "--now").stdout)
        self.assertEqual(self.attempt(1, 32)[-1], "9 of 32 on node[1-4]")
        self.finish(job)

    def test_a_spare_joins_and_a_removed_node_comes_back(self):
        job = self.start("--hosts", "node[1-2]:1", "--spare", "node3")
        for number, (option, node, nodes) in enumerate((("--add", "node3", "node[1-3]"), ("--remove", "node2", "node[1,3]"),
                                                        ("--add", "node2", "node[1-3]")), 1):
            self.resize(option, node, "--now").expect(0)
            lines = self.attempt(number, 2 if option == "--remove" else 3)
            self.assertIn(nodes, lines[0])
        self.finish(job)
