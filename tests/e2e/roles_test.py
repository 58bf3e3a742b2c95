#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Jobs of several programs (--role, and mpirun's ":"): what each rank runs and finds, and the names of roles in reports."""
import json
import os
import unittest

from e2e import Case, adarun, hosts, launch

LIMIT = ("--timeout", "30s")
TELL = 'echo "$0: $ADARUN_ROLE $ADARUN_ROLE_RANK of $ADARUN_ROLE_SIZE, $ROLE_NAME $ROLE_RANK of $ROLE_WORLD_SIZE, rank $RANK"'
# Rank 3 ends when all others run.
FAIL = ': >ran$RANK; test $RANK = 3 || exec sleep 600; until test -e ran0 -a -e ran1 -a -e ran2; do sleep 0.01; done; exit 7'


def roles(first, second):
    """Ranks 0 and 1 run the words of `first`, ranks 2 and 3 those of `second`."""
    return ("--role", "prefill=0-1", "--", *first, "--role", "decode=2-3", "--", *second)


def program(name):
    return os.path.join(os.environ["ADARUN_TEST_BIN"], name)


def write_groups(file):
    """A table with a group of the first device of each of two nodes, and one of the second."""
    options = ("--plain", "--hosts", "node[1-2]:2", "--role", "prefill=0,2", "--role", "decode=1,3", "-o", file)
    made = adarun("ranktable", "gen", "-q", *options)
    assert made.returncode == 0, made.stderr


class Roles(Case):
    def launch(self, *words):
        return launch(*LIMIT, *words, hosts=hosts(2))

    def test_each_rank_runs_the_program_of_its_role(self):
        done = self.launch(*roles(("sh", "-c", TELL, "one"), ("sh", "-c", TELL, "two")))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual([self.log_of(rank) for rank in range(4)],
                         [f"{name}: {role} {number} of 2, {role} {number} of 2, rank {rank}\n"
                          for rank, (name, role, number) in enumerate((("one", "prefill", 0), ("one", "prefill", 1),
                                                                       ("two", "decode", 0), ("two", "decode", 1)))])

    def test_a_job_without_roles_knows_none(self):
        done = self.launch("--", "sh", "-c", "env | grep ROLE; true")
        self.assertEqual((done.returncode, done.stdout), (0, ""), done.stderr)
        with open("log_output/job.json", encoding="utf-8") as file:
            self.assertNotIn("role", file.read())

    def test_a_failure_names_its_role(self):
        done = self.launch(*roles(("sh", "-c", FAIL), ("sh", "-c", FAIL)))
        self.assertEqual(done.returncode, 7, done.stderr)
        for line in ("rank 3 on node2 (device 1, role decode) failed first: exit code 7",
                     "ranks 0-1 on node1 (role prefill): stopped by adarun", "rank 2 on node2 (role decode): stopped by adarun"):
            self.assertIn(f"adarun: {line}\n", done.stderr)
        with open("log_output/job.json", encoding="utf-8") as file:
            job = json.load(file)
        self.assertEqual([rank["role"] for rank in job["ranks"]], ["prefill", "prefill", "decode", "decode"])
        self.assertEqual([role["name"] for role in job["roles"]], ["prefill", "decode"])
        self.assertEqual(job["roles"][1]["argv"], ["sh", "-c", FAIL])

    def test_ranks_find_the_groups_of_their_roles_in_a_table(self):
        write_groups("groups.json")
        tell = 'cat "$GLOBAL_RANK_TABLE_FILE_PATH"; echo "$ADARUN_ROLE_RANK on $(hostname) $DEVICE_ID$RANK_TABLE_FILE"'
        done = launch(*LIMIT, "-r", "groups.json", *roles(("sh", "-c", tell), ("sh", "-c", tell)))
        self.assertEqual(done.returncode, 0, done.stderr)
        with open("groups.json", encoding="utf-8") as file:
            table = file.read()
        self.assertEqual([self.log_of(rank) for rank in range(4)],
                         [f"{table}{place}\n" for place in ("0 on node1 0", "1 on node2 0", "0 on node1 1", "1 on node2 1")])

    def test_scripts_refuse_a_table_with_groups(self):
        write_groups("groups.json")
        done = adarun("script", "hostfile", "-r", "groups.json")
        self.assertEqual((done.returncode, done.stdout, done.stderr),
                         (2, "", "adarun: script hostfile: groups.json: a server_group table, which HCCL does not read: adarun "
                                 "ranktable convert --to 1.0 makes one that it does\n"))

    def test_status_and_ps_know_the_roles(self):
        detached = self.launch("-q", "--detach", *roles(("sleep", "600"), ("sleep", "601")))
        self.addCleanup(adarun, "stop", "--now")
        self.assertEqual(detached.returncode, 0, detached.stderr)
        status = json.loads(adarun("status", "--json").stdout)
        self.assertEqual([rank["role"] for rank in status["ranks"]], ["prefill", "prefill", "decode", "decode"])
        self.assertIn("prefill: sleep 600; decode: sleep 601", adarun("status").stdout)
        self.assertEqual(adarun("stop").returncode, 0)
        ended = json.loads(adarun("status", "log_output", "--json").stdout)
        self.assertEqual(ended["ranks"][2]["role"], "decode")

    def test_a_dry_run_shows_the_roles(self):
        done = self.launch("--dry-run", *roles(("./one",), ("./two", "x")))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("# rank 2, device 0, role decode\n", done.stdout)
        self.assertEqual([line.rsplit(" ./", 1)[1] for line in done.stdout.splitlines() if line.startswith("(")],
                         ["one)", "one)", "two x)", "two x)"])

    def test_what_does_not_fit_is_one_line_of_wrong_usage(self):
        for words, line in (
                (("--role", "a=0-2", "--", "x"), "--role: rank 3 is in no role: each of the job's 4 ranks wants one"),
                (("--role", "a=0-4", "--", "x"), "--role: role a: rank 4 of a job of 4: its ranks begin at 0"),
                (("--role", "a=0-2", "--", "x", "--role", "b=2-3", "--", "y"),
                 "--role: rank 2 is in two roles, a and b: wanted one"),
                (("--min-nodes", "1", *roles("x", "y")),
                 "--role: not with --min-nodes: with fewer nodes, ranks of a role would be missing")):
            done = self.launch(*words)
            self.assertEqual((done.returncode, done.stdout, done.stderr), (2, "", f"adarun: {line}\n"))

    def test_a_resize_that_leaves_ranks_without_a_role_is_refused(self):
        detached = self.launch("-q", "--detach", "--restarts", "1", *roles(("sleep", "600"), ("sleep", "601")))
        self.addCleanup(adarun, "stop", "--now")
        self.assertEqual(detached.returncode, 0, detached.stderr)
        done = adarun("resize", "--remove", "node2", "--now")
        self.assertEqual(done.stdout, "")
        self.assertIn("role decode: rank 2 of a job of 2", done.stderr)
        self.assertNotEqual(done.returncode, 0)

    def test_a_restarted_job_has_its_roles_again(self):
        script = 'echo "$ADARUN_ROLE $ADARUN_RESTART_COUNT"; test $RANK = 3 -a $ADARUN_RESTART_COUNT = 0 && exit 7; true'
        done = self.launch("--restarts", "1", *roles(("sh", "-c", script), ("sh", "-c", script)))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual([self.log_of(rank) for rank in range(4)], ["prefill 1\n"] * 2 + ["decode 1\n"] * 2)


class Mpi:
    def expect_world(self, done):
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual([self.log_of(rank) for rank in range(4)],
                         ["server: rank 0 of 4: appnum 0, sum 6\n",
                          *(f"worker: rank {rank} of 4: appnum 1, sum 6\n" for rank in range(1, 4))])

    def test_roles_share_one_world_and_have_numbers(self):
        self.expect_world(launch(*LIMIT, "--role", "server=0", "--", program(self.name), "server",
                                 "--role", "worker=1-3", "--", program(self.name), "worker", hosts=hosts(2)))

    def test_a_role_may_be_spread_over_nodes(self):
        done = launch(*LIMIT, "--role", "even=0,2", "--", program(self.name), "even",
                      "--role", "odd=1,3", "--", program(self.name), "odd", hosts=hosts(2))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual([self.log_of(rank) for rank in range(4)],
                         [f"{('even', 'odd')[rank % 2]}: rank {rank} of 4: appnum {rank % 2}, sum 6\n" for rank in range(4)])

    # By a table with groups, ranks of a node are not consecutive.
    def test_groups_of_a_table_share_one_world(self):
        write_groups("groups.json")
        self.expect_world(launch(*LIMIT, "-r", "groups.json", "--role", "server=0", "--", program(self.name), "server",
                                 "--role", "worker=1-3", "--", program(self.name), "worker", hosts=hosts(2)))

    def test_a_colon_is_that_of_mpirun(self):
        self.expect_world(launch(*LIMIT, "-np", "1", program(self.name), "server", ":", "-np", "3", program(self.name), "worker",
                                 hosts=hosts(2)))

    def test_one_program_has_the_number_0(self):
        done = launch(*LIMIT, "--", program(self.name), "all", hosts=hosts(1))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual([self.log_of(rank) for rank in range(2)],
                         [f"all: rank {rank} of 2: appnum 0, sum 1\n" for rank in range(2)])


class OpenMpi(Mpi, Case):
    name = "mpi_appnum"


class Mpich(Mpi, Case):
    name = "mpich_appnum"

    def setUp(self):
        super().setUp()
        if not os.path.exists(program(self.name)):
            self.skipTest("built without mpich")


if __name__ == "__main__":
    unittest.main()
