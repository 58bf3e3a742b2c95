# SPDX-License-Identifier: Apache-2.0
"""Jobs of several programs (--role, --spec, and mpirun's ":"): what each rank runs and finds, what its end means, and the names of
roles in reports and logs."""
import json
import os

from e2e import ALL_STARTED, Case, adarun, hosts, job_file, launch, read, write

LIMIT = ("--timeout", "30s")
TELL = 'echo "$0: $ADARUN_ROLE $ADARUN_ROLE_RANK of $ADARUN_ROLE_SIZE, $ROLE_NAME $ROLE_RANK of $ROLE_WORLD_SIZE, rank $RANK"'
# Rank 3 ends when all others run.
FAIL = f'{ALL_STARTED}; test $RANK != 3 || exit 7; exec sleep 600'


def roles(first, second):
    """Ranks 0 and 1 run the words of `first`, ranks 2 and 3 those of `second`."""
    return ("--role", "prefill=0-1", "--", *first, "--role", "decode=2-3", "--", *second)


def program(name):
    return os.path.join(os.environ["ADARUN_TEST_BIN"], name)


def write_groups(file, prefill="0,2", decode="1,3"):
    """A table with a group of the first device of each of two nodes, and one of the second."""
    options = ("--plain", "--hosts", "node[1-2]:2", "--role", f"prefill={prefill}", "--role", f"decode={decode}", "-o", file)
    adarun("ranktable", "gen", "-q", *options).expect(0)


class Roles(Case):
    def launch(self, *words):
        return launch(*LIMIT, *words, hosts=hosts(2))

    def test_each_rank_runs_the_program_of_its_role(self):
        self.launch(*roles(("sh", "-c", TELL, "one"), ("sh", "-c", TELL, "two"))).expect(0)
        places = ("one", "prefill", 0), ("one", "prefill", 1), ("two", "decode", 0), ("two", "decode", 1)
        self.assertEqual(self.logs(4), [f"{name}: {role} {number} of 2, {role} {number} of 2, rank {rank}\n"
                                        for rank, (name, role, number) in enumerate(places)])

    def test_a_job_without_roles_knows_none(self):
        self.launch("--", "sh", "-c", "env | grep ROLE; true").expect(0, stdout="")
        self.assertNotIn("role", read("log_output/job.json"))

    def test_a_failure_names_its_role(self):
        done = self.launch(*roles(("sh", "-c", FAIL), ("sh", "-c", FAIL))).expect(7)
        for line in ("rank 3 on node2 (device 1, role decode) failed first: exit code 7",
                     "ranks 0-1 on node1 (role prefill): stopped by adarun", "rank 2 on node2 (role decode): stopped by adarun"):
            self.assertIn(f"adarun: {line}\n", done.stderr)
        job = job_file()
        self.assertEqual([rank["role"] for rank in job["ranks"]], ["prefill", "prefill", "decode", "decode"])
        self.assertEqual([role["name"] for role in job["roles"]], ["prefill", "decode"])
        self.assertEqual(job["roles"][1]["argv"], ["sh", "-c", FAIL])

    def test_ranks_find_the_groups_of_their_roles_in_a_table(self):
        write_groups("groups.json")
        tell = 'cat "$GLOBAL_RANK_TABLE_FILE_PATH"; echo "$ADARUN_ROLE_RANK on $(hostname) $DEVICE_ID$RANK_TABLE_FILE"'
        launch(*LIMIT, "-r", "groups.json", *roles(("sh", "-c", tell), ("sh", "-c", tell))).expect(0)
        table = read("groups.json")
        self.assertEqual(self.logs(4),
                         [f"{table}{place}\n" for place in ("0 on node1 0", "1 on node2 0", "0 on node1 1", "1 on node2 1")])

    def test_scripts_refuse_a_table_with_groups(self):
        write_groups("groups.json")
        done = adarun("script", "hostfile", "-r", "groups.json")
        self.assertEqual((done.returncode, done.stdout, done.stderr),
                         (2, "", "adarun: script hostfile: groups.json: a server_group table, which HCCL does not read: adarun "
                                 "ranktable convert --group ID --to 1.0 makes one that it does\n"))

    def test_the_trainer_refuses_a_table_with_groups(self):
        write_groups("groups.json")
        done = adarun("train", "-r", "groups.json")
        self.assertEqual((done.returncode, done.stdout, done.stderr),
                         (2, "", "adarun: train: groups.json: a server_group table, which the trainer does not read: adarun "
                                 "ranktable convert --group ID --to 1.0 makes one that it does\n"))

    def test_roles_do_not_cut_groups_of_a_table(self):
        write_groups("groups.json", "0-1", "2-3")
        command = ("launch", "--dry-run", "-r", "groups.json")
        done = adarun(*command, "--role", "prefill=0", "--", "x", "--role", "decode=1-3", "--", "y")
        self.assertEqual((done.returncode, done.stdout, done.stderr),
                         (2, "", "adarun: --role decode: has a part of group 1 of the rank table, which has ranks 0-1, and ranks "
                                 "of another\n"))
        done = adarun(*command, "--spare", "node2", *roles(("x",), ("y",)))
        self.assertEqual((done.returncode, done.stdout, done.stderr),
                         (1, "", "adarun: group 2 of the rank table would have no node\n"))

    def test_a_table_without_devices_is_refused(self):
        router = {"group_id": "0", "server_count": "1", "server_list": [{"server_ip": "10.0.0.1"}]}
        write("router.json", json.dumps({"version": "1.0", "status": "completed", "server_group_list": [router]}))
        done = adarun("launch", "-r", "router.json", "--", "true")
        self.assertEqual((done.returncode, done.stdout, done.stderr),
                         (1, "", "adarun: router.json: $.server_group_list: at least one group must have a device\n"))

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

    def test_a_detached_job_has_started_without_an_optional_role_that_cannot(self):
        detached = self.launch("-q", "--detach", "--role", "main=0-1", "--", "sleep", "600",
                               "--role", "probe=2-3:optional", "--", "./not-there")
        self.addCleanup(adarun, "stop", "--now")
        self.assertEqual(detached.returncode, 0, detached.stderr)
        self.assertEqual(adarun("stop").returncode, 0)

    def test_a_dry_run_shows_the_roles(self):
        done = self.launch("--dry-run", *roles(("./one",), ("./two", "x"))).expect(0)
        self.assertIn("# rank 2, device 0, role decode\n", done.stdout)
        self.assertEqual([line.rsplit(" ./", 1)[1] for line in done.stdout.splitlines() if line.startswith("(")],
                         ["one)", "one)", "two x)", "two x)"])

    def test_a_dry_run_shows_what_the_end_of_roles_means(self):
        words = ("--dry-run", "--role", "a=0-1:optional,restarts=3", "--", "x", "--role", "b=2-3:background", "--", "y")
        self.assertIn("\n# role a, is started again, at most 3 times in all, may fail\n# role b, is ended once the others have ended\n",
                      self.launch(*words).stdout)

    def test_what_does_not_fit_is_one_line_of_wrong_usage(self):
        for words, line in (
                (("--role", "a=0-2", "--", "x"), "--role: rank 3 is in no role: each of the job's 4 ranks wants one"),
                (("--role", "a=0-4", "--", "x"), "--role: role a: rank 4 of a job of 4: its ranks begin at 0"),
                (("--role", "a=0-2", "--", "x", "--role", "b=2-3", "--", "y"),
                 "--role: rank 2 is in two roles, a and b: wanted one"),
                (("--role", "a=0-3:wait", "--", "x"), '--role "a=0-3:wait": "wait": wanted background, optional or restarts=N'),
                (("--role", "a=0-3:background", "--", "x"), "--role: all roles are in the background: the job has none to wait for"),
                (("--min-ranks", "2", "--role", "a=0-3:optional", "--", "x"),
                 "--min-ranks: not with roles that are background, optional or restarted"),
                (("--min-nodes", "1", *roles("x", "y")),
                 "--role: not with --min-nodes: with fewer nodes, ranks of a role would be missing")):
            self.launch(*words).expect(2, stdout="", stderr=f"adarun: {line}\n")

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
        self.launch("--restarts", "1", *roles(("sh", "-c", script), ("sh", "-c", script))).expect(0)
        self.assertEqual(self.logs(4), ["prefill 1\n"] * 2 + ["decode 1\n"] * 2)


# Runs until it is told to end.
SERVE = "trap 'echo told; exit 0' TERM; : >up; while :; do sleep 0.05; done"
WORK = "until test -e up; do sleep 0.01; done; echo worked"


class Policies(Case):
    def launch(self, *words):
        return launch(*LIMIT, "--tag-output", *words, hosts=hosts(2))

    def test_a_proxy_is_ended_when_prefill_and_decode_have_ended(self):
        done = self.launch("--role", "proxy=0:background", "--", "sh", "-c", SERVE, "--role", "prefill=1", "--", "sh", "-c", WORK,
                           "--role", "decode=2-3", "--", "sh", "-c", "until test -e up; do sleep 0.01; done; echo worked")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(sorted(done.stdout.splitlines()), ["[0 proxy] told", "[1 prefill] worked", "[2 decode] worked",
                                                            "[3 decode] worked"])
        self.assertEqual([rank["state"] for rank in job_file()["ranks"]], ["stopped", "done", "done", "done"])

    def test_the_end_of_a_proxy_does_not_end_the_job(self):
        done = self.launch("--role", "proxy=0:background", "--", "sh", "-c", ": >up", "--role", "rest=1-3", "--", "sh", "-c", WORK)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(sum("worked" in line for line in done.stdout.splitlines()), 3)

    def test_a_failing_decode_is_named_while_a_proxy_runs(self):
        done = self.launch("--role", "proxy=0:background", "--", "sh", "-c", SERVE, "--role", "prefill=1", "--", "sleep", "600",
                           "--role", "decode=2-3", "--", "sh", "-c",
                           "until test -e up; do sleep 0.01; done; test $ADARUN_ROLE_RANK = 1 || exec sleep 600; exit 7")
        self.assertEqual(done.returncode, 7, done.stderr)
        self.assertIn("adarun: rank 3 on node2 (device 1, role decode) failed first: exit code 7\n", done.stderr)

    def test_an_optional_role_may_fail(self):
        done = self.launch("--role", "probe=0:optional", "--", "sh", "-c", ": >up; exit 3", "--role", "rest=1-3", "--", "sh", "-c", WORK)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("rank 0 on node1 (device 0, role probe): exit code 3; the job continues, as the role is optional", done.stderr)

    def test_a_rank_is_started_again(self):
        script = "echo try ${ADARUN_RANK_RESTARTS-0}; test ${ADARUN_RANK_RESTARTS-0} = 2 || exit 3; : >up"
        self.launch("--role", "a=0:restarts=2", "--", "sh", "-c", script, "--role", "rest=1-3", "--", "sh", "-c", WORK).expect(0)
        self.assertEqual(self.log_of(0), "try 0\ntry 1\ntry 2\n")

    def test_no_restart_is_left(self):
        done = self.launch("--role", "a=0:restarts=1", "--", "sh", "-c", "exit 3", "--role", "rest=1-3", "--", "sleep", "600")
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn("rank 0 on node1 (device 0, role a) failed first: exit code 3\n", done.stderr)


class Ended(Case):
    """What a rank that is started again, and one of the background, leave behind."""

    def launch(self, *words):
        return launch("--timeout", "20s", *words, hosts=hosts(2))

    def test_a_daemon_serves_ranks_of_other_nodes_until_these_have_ended(self):
        daemon = "setsid sleep 600 <&- >&- 2>&- & echo $! >pid"
        ended = 'until grep -q \'"exited".*"rank": *0\' log_output/events.jsonl; do sleep 0.01; done; '
        use = ended + "for i in 1 2 3 4 5; do kill -0 $(cat pid) || exit 3; sleep 0.05; done"
        for policy in ("", ":background"):
            with self.subTest(policy=policy):
                done = self.launch("--role", f"db=0{policy}", "--", "sh", "-c", daemon, "--role", "rest=1-3", "--", "sh", "-c",
                                   "test $RANK -ge 2 || exit 0; " + use).expect(0)
                self.assertIn("adarun: node1: ended 1 process that ranks left running: sleep (rank 0)\n", done.stderr)

    def test_a_rank_that_waits_for_its_restart_does_not_spoil_the_end(self):
        script = "echo x >>tries; test $(wc -l <tries) -lt 3 || : >up; exit 1"
        done = self.launch("--role", "a=0:background,restarts=9", "--", "sh", "-c", script, "--role", "rest=1-3", "--", "sh", "-c", WORK)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_and_is_not_blamed_for_another_failure(self):
        script = "echo x >>tries; test $(wc -l <tries) -lt 3 || : >up; exit 1"
        done = self.launch("--role", "a=0:restarts=9", "--", "sh", "-c", script, "--role", "rest=1-3", "--", "sh", "-c",
                           "test $RANK = 3 || exec sleep 600; until test -e up; do sleep 0.01; done; exit 7").expect(7)
        self.assertIn("adarun: rank 3 on node2 (device 1, role rest) failed first: exit code 7\n", done.stderr)

    def test_a_background_that_does_not_end_is_killed(self):
        self.launch("--grace", "1s", "--hang-timeout", "500ms", "--role", "a=0:background", "--", "sh", "-c",
                    "trap '' TERM; : >up; while :; do sleep 0.05; done", "--role", "rest=1-3", "--", "sh", "-c", WORK).expect(0)


class Spec(Case):
    def write(self, spec):
        write("job.json", json.dumps(spec))

    def test_a_job_is_kept_in_a_file(self):
        show = 'echo "$ADARUN_ROLE_RANK of $ADARUN_ROLE_SIZE: $A $B in $(basename "$PWD")"'
        os.mkdir("own")
        self.write({"timeout": "30s", "env": ["A=job", "B=job"], "roles": [
            {"name": "first", "hosts": "node1:2", "program": ["sh", "-c", show]},
            {"name": "second", "hosts": "node2:2", "program": ["sh", "-c", show], "env": ["A=second"], "workdir": "own"}]})
        adarun("launch", "--spec", "job.json").expect(0)
        here = os.path.basename(os.getcwd())
        self.assertEqual(self.logs(4), [f"{number} of 2: job job in {here}\n" for number in range(2)]
                         + [f"{number} of 2: second job in own\n" for number in range(2)])

    def test_the_printed_file_runs_the_same_job(self):
        words = ("--env", "A=1", "--env", "B=2", "--no-restart-on", "3", "--tag-output")
        printed = launch(*LIMIT, *words, "--print-spec", "--role", "a=0:background,restarts=2", "--", "sh", "-c", SERVE,
                         "--role", "b=1-3", "--", "sh", "-c", WORK + "; echo $A$B", hosts=hosts(2)).expect(0, stderr="")
        self.write(json.loads(printed.stdout))
        again = adarun("launch", "--spec", "job.json", "--print-spec")
        self.assertEqual(again.stdout, printed.stdout, again.stderr)
        done = adarun("launch", "--spec", "job.json", "-q").expect(0)
        self.assertIn("[3 b] 12\n", done.stdout)

    def test_the_command_line_goes_before_the_file(self):
        self.write({"hosts": "node1:2", "timeout": "1s", "env": ["A=file", "B=B"],
                    "program": ["sh", "-c", "echo $A, $B"]})
        done = adarun("launch", "--spec", "job.json", *LIMIT, "--env", "A=typed", "--hosts", "node2:1")
        self.assertEqual((done.returncode, done.stdout), (0, "typed, B\n"), done.stderr)
        for words, wanted_ms in ((LIMIT, 30_000), ((), 1_000)):
            plan = json.loads(adarun("launch", "--spec", "job.json", "--dry-run", "--json", *words).stdout)
            self.assertEqual(plan["course"]["timeout_ms"], wanted_ms)

    def test_what_is_wrong_is_named(self):
        for spec, line in (
                ({"timeou": "1s"}, "timeou: no option of launch; did you mean timeout?"),
                ({"program": []}, '"program": wanted a program and its arguments, as in ["./train", "--lr", "0.1"]'),
                ({"program": ["x"], "roles": [{"name": "a", "count": 1, "program": ["x"]}]}, "program: not beside roles"),
                ({"roles": [{"name": "a", "count": 1, "ranks": "0", "program": ["x"]}]},
                 "roles[0] (a): wanted one of ranks, count and hosts")):
            self.write(spec)
            adarun("launch", "--spec", "job.json").expect(2, stdout="", stderr=f"adarun: job.json: {line}\n")


class Logs(Case):
    def test_of_a_role(self):
        launch(*LIMIT, "-q", *roles(("echo", "one"), ("echo", "two")), hosts=hosts(2)).expect(0)
        self.assertEqual(adarun("logs", "--role", "decode", "--tag-output").stdout, "[2 decode] two\n[3 decode] two\n")
        self.assertIn("worker_2.log (role decode) <==\ntwo\n", adarun("logs", "--role", "decode").stdout)
        self.assertEqual(adarun("logs", "--role", "prefill,decode", "--rank", "1", "--tag-output").stdout, "[1 prefill] one\n")
        for words, status, line in ((("--role", "x"), 2, "--role x: no role of job "),
                                    (("--role", "decode", "--rank", "0"), 2, "--role: no rank of it is among those of --rank and --node"),
                                    (("--role", "decode", "--collect"), 2, "--role chooses logs of ranks: ")):
            done = adarun("logs", *words).expect(status)
            self.assertIn(f"adarun: {line}", done.stderr)


class Mpi:
    def expect_world(self, done):
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.logs(4), ["server: rank 0 of 4: appnum 0, sum 6\n",
                                        *(f"worker: rank {rank} of 4: appnum 1, sum 6\n" for rank in range(1, 4))])

    def test_roles_share_one_world_and_have_numbers(self):
        self.expect_world(launch(*LIMIT, "--role", "server=0", "--", program(self.name), "server",
                                 "--role", "worker=1-3", "--", program(self.name), "worker", hosts=hosts(2)))

    def test_a_role_may_be_spread_over_nodes(self):
        launch(*LIMIT, "--role", "even=0,2", "--", program(self.name), "even",
               "--role", "odd=1,3", "--", program(self.name), "odd", hosts=hosts(2)).expect(0)
        self.assertEqual(self.logs(4),
                         [f"{('even', 'odd')[rank % 2]}: rank {rank} of 4: appnum {rank % 2}, sum 6\n" for rank in range(4)])

    def test_an_optional_role_that_others_wait_for_ends_the_job(self):
        launch("--timeout", "20s", "--role", "a=0:optional", "--", "sh", "-c", "exit 3",
               "--role", "b=1-3", "--", program(self.name), "b", hosts=hosts(2)).expect(3)

    # By a table with groups, ranks of a node are not consecutive.
    def test_groups_of_a_table_share_one_world(self):
        write_groups("groups.json", "2", "0,1,3")
        self.expect_world(launch(*LIMIT, "-r", "groups.json", "--role", "server=0", "--", program(self.name), "server",
                                 "--role", "worker=1-3", "--", program(self.name), "worker", hosts=hosts(2)))

    def test_a_colon_is_that_of_mpirun(self):
        self.expect_world(launch(*LIMIT, "-np", "1", program(self.name), "server", ":", "-np", "3", program(self.name), "worker",
                                 hosts=hosts(2)))

    def test_one_program_has_the_number_0(self):
        launch(*LIMIT, "--", program(self.name), "all", hosts=hosts(1)).expect(0)
        self.assertEqual(self.logs(2), [f"all: rank {rank} of 2: appnum 0, sum 1\n" for rank in range(2)])


class OpenMpi(Mpi, Case):
    name = "mpi_appnum"


class Mpich(Mpi, Case):
    name = "mpich_appnum"

    def setUp(self):
        super().setUp()
        if not os.path.exists(program(self.name)):
            self.skipTest("built without mpich")
