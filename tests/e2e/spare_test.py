# SPDX-License-Identifier: Apache-2.0
"""A job continues after the loss of a node: with a spare in its place, or without it."""
import glob
import json
import os
import subprocess

from cutting import cut, mend
from e2e import DEADLINE_S, Case, adarun, await_in_log, job_file, lines_of, read, start

# The first attempt waits to be disturbed.
SCRIPT = """
if [ "$ADARUN_RESTART_COUNT" = 0 ]; then echo "agent $PPID"; exec sleep 1000; fi
echo "rank $RANK_ID of $RANK_SIZE on $ADARUN_ATTEMPT_NODES"
"""

# The same, with losses: steps 1 to 8, then 6 to 12.
LOSSES = """
losses() { for step in $(seq "$1" "$2"); do echo "epoch: 1 step: $step, loss is 0.$((99 - step))"; done; }
if [ "$ADARUN_RESTART_COUNT" = 0 ]; then echo "agent $PPID"; losses 1 8; exec sleep 1000; fi
losses 6 12
"""


class Spare(Case):
    def disturb(self, options, disturb, ranks, script=SCRIPT):
        """Runs a script; calls `disturb` with the pids of the ranks' agents when all ranks of the first attempt run."""
        with start("launch", *options, "--", "sh", "-c", script) as job:
            agents = []
            while len(agents) < ranks:
                line = job.stdout.readline()
                if line.startswith("epoch: "):  # Of a rank that began sooner.
                    continue
                self.assertRegex(line, "agent [0-9]+\n", "a rank of the first attempt")
                agents.append(int(line.split()[1]))
            disturb(sorted(set(agents)))
            out, err = job.communicate(timeout=DEADLINE_S)
        return job.returncode, sorted(out.splitlines()), err

    def test_takes_the_place_of_a_node_whose_agent_dies(self):
        status, lines, err = self.disturb(["--hosts", "node[1-2]:2", "--spare", "node3"],
                                          lambda agents: os.kill(agents[-1], 9), 4)
        self.assertEqual(status, 0, err)
        self.assertRegex(err, "node[12] is lost; node3 joins, and the job continues with 4 ranks on 2 nodes; the logs of this "
                              "run will be in log_output[.]")
        self.assertRegex(lines[0], "rank 0 of 4 on node.*3")
        self.assertEqual(len(lines), 4)
        earlier = job_file()["earlier_attempts"][0]
        self.assertRegex(earlier["change"], "^node[12] is lost; node3 joins$")
        self.assert_attempts_are_told(earlier["id"])

    def assert_attempts_are_told(self, first):
        """By status and ps, of a job of two attempts."""
        status = adarun("status", "log_output").stdout
        self.assertRegex(status, r"(?m)^  attempt  2 on node\[")
        self.assertRegex(status, rf"(?m)^  before   1: {first} on node\[1-2\], 4 ranks, .*: node[12]: .*; node[12] is lost; "
                                 "node3 joins$")
        told = json.loads(adarun("status", "--json").stdout)
        self.assertEqual((told["attempt"], told["earlier_attempts"][0]["id"]), (2, first))
        self.assertEqual([(each["attempt"], each["first_job_id"]) for each in json.loads(adarun("ps", "--json").stdout)[:2]],
                         [(2, first), (1, first)])
        rows = [line.split() for line in adarun("ps").stdout.splitlines()]
        column = rows[0].index("ATTEMPT") - len(rows[0])
        self.assertEqual(rows[0][-3:], ["ATTEMPT", "PROGRAM", "FOLDER"], column)
        self.assertEqual(rows[2][0], first)

    def test_has_as_many_ranks_as_the_node_that_it_replaces(self):
        status, lines, err = self.disturb(["--hosts", "node[1-2]", "--nproc-per-node", "2", "--spare", "node3"],
                                          lambda agents: os.kill(agents[-1], 9), 4)
        self.assertEqual(status, 0, err)
        self.assertIn("; node3 joins, and the job continues with 4 ranks on 2 nodes", err)
        self.assertEqual(len(lines), 4)

    def test_leaves_one_curve_of_the_job(self):
        views = []

        def disturb(agents):
            views.append(start("monitor", stderr=None))
            for line in views[0].stdout:
                if "step 8 " in line:
                    break
            os.kill(agents[-1], 9)

        status, _, err = self.disturb(["--hosts", "node[1-2]:1", "--spare", "node3", "--show", "0,1"], disturb, 2, LOSSES)
        self.assertEqual(status, 0, err)
        with views[0] as view:
            out, _ = view.communicate(timeout=DEADLINE_S)
        self.assertEqual(view.returncode, 0, out)
        lines = out.splitlines()
        self.assertRegex(lines[0], "^attempt 2: node[12] is lost; node3 joins$")
        self.assertEqual([line.split()[3] for line in lines[1:]], [str(step) for step in range(6, 13)])
        told = json.loads(adarun("monitor", "--json").stdout)
        self.assertEqual((told["steps"], told["attempts"][1]["step"]), (12, 6))
        self.assertEqual(json.loads(adarun("monitor", "--json", "--last-attempt").stdout)["steps"], 7)
        last = read("log_output/worker_0.log")
        first = f"log_output.{job_file()['earlier_attempts'][0]['id']}/worker_0.log"
        self.assertEqual(adarun("logs", "--attempts", "--rank", 0).stdout,
                         f"==> attempt 1: {first} <==\n{read(first)}\n==> attempt 2: log_output/worker_0.log <==\n{last}")
        self.assertEqual(adarun("logs", "--rank", 0).stdout, last)

    def test_is_not_needed_where_enough_nodes_stay(self):
        try:
            status, lines, err = self.disturb(["--hosts", "node[1-3]:1", "--min-nodes", "2", "--lease", "1s"],
                                              lambda _: cut("node2"), 3)
        finally:
            mend("node2")
        self.assertEqual(status, 0, err)
        self.assertIn("node2 is lost, and the job continues with 2 ranks on 2 nodes", err)
        self.assertEqual(lines, ["rank 0 of 2 on node[1,3]", "rank 1 of 2 on node[1,3]"])
        earlier = job_file()["earlier_attempts"]
        self.assertEqual([(each["nodes"], each["world_size"]) for each in earlier], [("node[1-3]", 3)])
        self.assertIn("no sign of life", earlier[0]["failure"])

    def test_takes_the_place_of_a_node_that_is_not_reached(self):
        cut("node2")
        try:
            done = adarun("launch", "--hosts", "node[1-2]:1", "--spare", "node3", "--connect-timeout", "3s", "--",
                          "sh", "-c", 'echo "$ADARUN_ATTEMPT_NODES"').expect(0)
        finally:
            mend("node2")
        self.assertEqual(done.stdout, "node[1,3]\n" * 2)

    def test_that_is_lost_too_is_named_and_not_used(self):
        cut("node3")
        try:
            status, lines, err = self.disturb(["--hosts", "node[1-2]:1", "--spare", "node[3-4]", "--connect-timeout", "3s"],
                                              lambda agents: (await_in_log("spare node3"), os.kill(agents[-1], 9)), 2)
        finally:
            mend("node3")
        self.assertEqual(status, 0, err)
        self.assertIn("spare node3: no connection within 3 s", err)
        self.assertIn("node4 joins", err)
        self.assertEqual(len(lines), 2)

    def test_runs_no_rank_twice_at_a_time(self):
        script = f"""trap '' TERM
            echo "agent $PPID"
            if [ "$ADARUN_RESTART_COUNT" = 1 ]; then date +%s%N >"{self.folder}/new.$RANK_ID"; exit; fi
            while :; do date +%s%N >>"{self.folder}/old.$RANK_ID"; done"""
        with start("launch", "--hosts", "node[1-2]:1", "--spare", "node3", "--lease", "1s", "--grace", "100ms", "--", "sh",
                   "-c", script, stderr=None) as job:
            for _ in range(2):
                job.stdout.readline()
            cut("node2")
            try:
                job.communicate(timeout=DEADLINE_S)
            finally:
                mend("node2")
        self.assertEqual(job.returncode, 0)
        for rank in range(2):
            old, new = (int(lines_of(f"{name}.{rank}")[-1]) for name in ("old", "new"))
            self.assertLess(old, new, f"rank {rank}")

    def test_takes_the_place_of_a_node_whose_ranks_fail_twice(self):
        done = adarun("launch", "--hosts", "node[1-2]:1", "--spare", "node3", "--restarts", 2, "--restart-delay", "1ms",
                      "--exclude-on", "repeat", "--", "sh", "-c", 'sleep 0.2; test "$(hostname)" != node2 || exit 7; hostname')
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("node2: its ranks have failed first in two attempts; it is left out (--exclude-on repeat)", done.stderr)
        self.assertIn("node2 is lost; node3 joins", done.stderr)
        self.assertEqual(set(done.stdout.split()), {"node1", "node3"})
        self.assertEqual(len(job_file()["earlier_attempts"]), 2)

    def test_is_missed_where_a_node_that_must_be_left_out_is_needed(self):
        done = adarun("launch", "--hosts", "node[1-2]:1", "--min-nodes", 2, "--restarts", 9, "--restart-delay", "1ms",
                      "--exclude-on", "repeat", "--", "sh", "-c", 'sleep 0.2; test "$(hostname)" != node2 || exit 7').expect(7)
        self.assertIn("it is left out (--exclude-on repeat)", done.stderr)
        self.assertIn("too few nodes are left: the job needs 2", done.stderr)
        self.assertEqual(len(job_file()["earlier_attempts"]), 1)

    def test_is_not_used_up_by_a_program_that_fails_everywhere(self):
        done = adarun("launch", "--hosts", "node[1-2]:1", "--spare", "node[3-4]", "--restarts", 9, "--restart-delay", "1ms",
                      "--exclude-on", "repeat", "--", "sh", "-c", 'test $RANK_ID != 0 || exit 7; sleep 60').expect(7)
        self.assertIn("the program fails wherever it runs: exit code 7 on node1 and node3; no node is to blame", done.stderr)
        self.assertEqual(len(job_file()["earlier_attempts"]), 2)

    def test_is_not_used_up_by_what_every_node_refuses(self):
        for option, value, told in (("--workdir", "/no/such/folder", 'folder "/no/such/folder": No such file or directory'),
                                    ("--ulimit", "nofile=99999999999", "--ulimit nofile: Operation not permitted")):
            done = adarun("launch", "--hosts", "node[1-2]:1", "--spare", "node[3-4]", "--restarts", 9, "--restart-delay", "1ms",
                          option, value, "--", "true").expect(125)
            self.assertRegex(done.stderr, rf"adarun: node[12]: rank [01]: {told}.*; the other nodes refuse it, too\n")
            for words in (" joins", "restart 1 of 9", " is lost"):
                self.assertNotIn(words, done.stderr)

    def test_takes_the_place_of_a_node_that_alone_refuses(self):
        folder = os.path.join(os.environ["ADARUN_TEST_OWN"], "not_everywhere")
        for node in ("node1", "node3"):
            subprocess.run(["ssh", node, "mkdir", folder], check=True, stdin=subprocess.DEVNULL, timeout=DEADLINE_S)
            self.addCleanup(subprocess.run, ["ssh", node, "rmdir", folder], stdin=subprocess.DEVNULL, timeout=DEADLINE_S)
        done = adarun("launch", "--hosts", "node[1-2]:1", "--spare", "node3", "--workdir", folder, "--", "hostname").expect(0)
        self.assertIn("node2 is lost; node3 joins", done.stderr)
        self.assertEqual(set(done.stdout.split()), {"node1", "node3"})

    def test_takes_the_place_of_a_node_that_is_found_unfit(self):
        cut("node2")
        try:
            done = adarun("launch", "--hosts", "node[1-2]:1", "--spare", "node3", "--connect-timeout", "3s", "--exclude-on",
                          "check", "--", "sh", "-c", 'echo "$ADARUN_RESTART_COUNT $ADARUN_ATTEMPT_NODES"')
            few = adarun("launch", "--hosts", "node[1-2]:1", "--min-nodes", 2, "--connect-timeout", "3s", "--exclude-on",
                         "check", "--", "true")
        finally:
            mend("node2")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stderr, "node2: .*no connection.*; it is left out \\(--exclude-on check\\)")
        self.assertEqual(done.stdout, "0 node[1,3]\n" * 2)
        self.assertEqual(few.returncode, 125)
        self.assertIn("too few nodes are left: the job needs 2; nothing was started", few.stderr)

    def test_ends_the_job_where_too_few_are_left(self):
        status, lines, err = self.disturb(["--hosts", "node[1-2]:1", "--min-nodes", "2"],
                                          lambda agents: os.kill(agents[-1], 9), 2)
        self.assertEqual(status, 125, err)
        self.assertEqual(lines, [])
        self.assertIn("too few nodes are left: the job needs 2", err)

    def test_runs_mpi_again_in_the_same_agents(self):
        program = os.path.join(os.environ["ADARUN_TEST_BIN"], "mpi_hello")
        if not os.path.exists(program):
            self.skipTest("built without MPI")
        done = adarun("launch", "--hosts", "node[1-2]:2", "--restarts", 2, "--restart-delay", "1ms", "--timeout", "60s", "--",
                      "sh", "-c", f'{program} && exit $((2 - ADARUN_RESTART_COUNT))').expect(0)
        self.assertEqual(sorted(done.stdout.splitlines()), [f"rank {rank} of 4: sum 6" for rank in range(4) for _ in range(3)])

    def test_mistakes_are_refused_in_one_line(self):
        for options, wanted in ((["--spare", "2"], "of 2 hosts none would be left"),
                                (["--min-nodes", "3"], "--min-nodes 3: there are 2"),
                                (["--min-nodes", "none"], "wanted a number of nodes"),
                                (["--exclude-on", "check"], "--exclude-on: only with --spare or --min-nodes"),
                                (["--exclude-on", "repeat", "--min-nodes", "1"], "--exclude-on repeat: only with --restarts"),
                                (["--exclude-on", "check,now"], 'now": wanted check or repeat')):
            done = adarun("launch", "--hosts", "node[1-2]:1", *options, "--", "true").expect(2)
            self.assertIn(wanted, done.stderr)
            self.assertEqual(glob.glob("log_output*"), [])
