#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""launch --trace: how long each step of the start took, as a Chrome trace."""
import collections
import os
import unittest

from e2e import Case, hosts, job_file, launch, processes, read_json

WAY = ["connect", "exchange keys", "log in", "open channel", "start the agent", "wait for all nodes", "set up",
       "fork ranks", "run"]


def rows_of(trace):
    """(process, row) -> its complete events ("ph": "X")."""
    rows = collections.defaultdict(list)
    for event in trace["traceEvents"]:
        if event["ph"] == "X":
            rows[event["pid"], event["tid"]].append(event)
    return rows


def names_of(trace, what):
    return {(event["pid"], event["tid"]): event["args"]["name"] for event in trace["traceEvents"]
            if event["ph"] == "M" and event["name"] == what}


class Trace(Case):
    def trace_of(self, *program):
        done = launch("--timeout", "30s", "--trace", "start.json", "--", *program, hosts=hosts(2))
        self.assertEqual((done.returncode, done.stderr), (0, "adarun: wrote start.json\n"))
        return read_json("start.json")

    def test_each_node_and_rank_has_its_steps_one_after_the_other(self):
        trace = self.trace_of("echo", "hello")
        processes = names_of(trace, "process_name")
        self.assertEqual(sorted(processes.values()), ["adarun", "node1", "node2"])
        rows = rows_of(trace)
        self.assertEqual([event["name"] for event in rows[0, 0]],
                         ["resolve names, plan", "connect all nodes", "start all ranks", "run"])
        for node in (1, 2):
            self.assertEqual([event["name"] for event in rows[node, 0]], WAY)
        threads = names_of(trace, "thread_name")
        self.assertEqual([threads[1 + rank // 2, 1 + rank] for rank in range(4)], [f"rank {rank}" for rank in range(4)])
        for rank in range(4):
            self.assertEqual([event["name"] for event in rows[1 + rank // 2, 1 + rank]],
                             ["start", "until it joins MPI or prints", "run"])
        self.expect_times_in_order(rows)

    def test_an_mpi_program_shows_when_it_joined_and_its_fences(self):
        trace = self.trace_of(os.path.join(os.environ["ADARUN_TEST_BIN"], "mpi_hello"))
        rows = rows_of(trace)
        for rank in range(4):
            self.assertEqual([event["name"] for event in rows[1 + rank // 2, 1 + rank]],
                             ["start", "until it joins MPI or prints", "in MPI, until its first line", "run"])
        fences = [event for event in trace["traceEvents"] if event["ph"] == "i"]
        self.assertEqual(len(fences), 3)
        self.assertRegex(fences[0]["name"], r"^fence: [1-9]\d* bytes$")
        self.expect_times_in_order(rows)

    def expect_times_in_order(self, rows):
        end = max(event["ts"] + event["dur"] for event in rows[0, 0])
        for stretches in rows.values():
            moment = 0
            for stretch in stretches:
                self.assertGreaterEqual(stretch["ts"] + 0.002, moment, stretches)  # Microseconds, rounded.
                moment = stretch["ts"] + stretch["dur"]
                self.assertLessEqual(moment, end + 0.002)

    def test_a_file_that_cannot_be_written_fails_the_job(self):
        done = launch("--timeout", "30s", "--log-dir", "logs", "--trace", "no/such/folder/start.json", "--", "true", hosts=hosts(1))
        self.assertEqual(done.returncode, 125, done.stderr)
        self.assertIn("no/such/folder/start.json", done.stderr)
        record = job_file("logs")
        self.assertEqual([record["state"], record["status"], record["ranks"][0]["state"]], ["failed", 125, "done"])


if __name__ == "__main__":
    unittest.main()
