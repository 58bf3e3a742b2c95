# SPDX-License-Identifier: Apache-2.0
"""--dry-run: what would run where, with enough detail to run it by hand."""
import json
import os

from e2e import Case, hosts, launch, run, write
from json_schema import misfits, read_schema

WORDS = ["two words", "", "'", '"', "$HOME", "`id`", "a\nb", "*", "\\", "ünï"]


class Plan(Case):
    def dry_run(self, *arguments, where=None):
        done = launch("--dry-run", *arguments, hosts=where or hosts(2)).expect(0, stderr="")
        self.assertFalse(os.path.exists("log_output"))
        return done.stdout

    def test_a_shell_runs_every_rank_as_adarun_would(self):
        show = 'import os; print(os.environ["RANK"], os.environ["LOCAL_RANK"], os.getcwd(), [os.environ["WORD"]], '
        show += 'os.environ["OMP_NUM_THREADS"], __import__("sys").argv[1:])'
        text = self.dry_run("--env", "WORD=a 'b'\n$c", "--", "python3", "-c", show, *WORDS)
        done = run("sh", input=text).expect(0)
        wanted = [f"{rank} {rank % 2} {self.folder} {[chr(97) + ' ' + repr('b') + chr(10) + '$c']} 1 {WORDS}"
                  for rank in range(4)]
        self.assertEqual(done.stdout.splitlines(), wanted, done.stderr)
        real = launch("--env", "WORD=a 'b'\n$c", "--", "python3", "-c", show, *WORDS, hosts=hosts(2))
        self.assertEqual(sorted(real.stdout.splitlines()), wanted, real.stderr)

    def test_variables_come_from_files_as_shells_and_env_write_them(self):
        for text, wanted, said in (
                ("export WORD='a b'\nA=1\r\n", "a b", ""),
                ("WORD=a\nb\0BASH_FUNC_ml%%=() {  echo\n}\0", "a\nb",
                 'adarun: variables: left out "BASH_FUNC_ml%%", a function that bash exports\n')):
            with open("variables", "w", encoding="utf-8", newline="") as file:
                file.write(text)
            done = launch("--dry-run", "--json", "--env-file", "variables", "--", "true", hosts=hosts(1, "node1"))
            self.assertEqual((done.returncode, done.stderr), (0, said))
            self.assertEqual(json.loads(done.stdout)["nodes"][0]["ranks"][0]["environment"]["WORD"], wanted)

    def test_names_that_no_variable_can_have_are_refused(self):
        write("variables", "A=1\nexport B C=2\n")
        for options, said in (["--env", "A B=2"], '--env "A B=2": wanted NAME or NAME=VALUE'), (
                ["--env", "1A"], '--env "1A": wanted NAME or NAME=VALUE'), (
                ["--env-file", "variables"], 'variables:2: "B C" is no name of a variable'):
            done = launch("--dry-run", *options, "--", "true", hosts="node1")
            self.assert_refused(done, 2, said)

    def test_a_shell_gives_every_rank_its_limits_and_mask(self):
        text = self.dry_run("--umask", "027", "--ulimit", "nofile=100:200", "--ulimit", "core=0", "--bind", "core", "--",
                            "sh", "-c", "umask; ulimit -Sn; ulimit -Hn; ulimit -c", where=hosts(1, "node1"))
        done = run("sh", input=text).expect(0)
        self.assertEqual(done.stdout.split(), ["0027", "100", "200", "0"], done.stderr)
        self.assertIn("(--bind core)", text)

    def test_json_has_what_the_user_asked_for_besides(self):
        plan = json.loads(self.dry_run(
            "--json", "--umask", "27", "--ulimit", "nofile=100:unlimited", "--bind", "numa", "--restarts", "3",
            "--no-restart-on", "2,64", "--restart-delay", "4s", "--timeout", "1h", "--hang-timeout", "5m", "--grace", "7s",
            "--lease", "30s", "--mpi", "off", "--log-dir", "logs", "--spare", "node9", "--min-nodes", "1", "--", "true"))
        schema = read_schema("plan")
        self.assertEqual(misfits(plan, schema, schema), [])
        self.assertEqual(plan["care"], {"bind": "numa", "stdout": "terminal", "umask": "027",
                                        "limits": {"nofile": {"soft": "100", "hard": "unlimited"}},
                                        "ignored_signals": []})
        self.assertEqual(plan["course"], {
            "timeout_ms": 3600000, "hang_timeout_ms": 300000, "connect_timeout_ms": 20000, "lease_ms": 30000,
            "grace_ms": 7000, "restarts": 3, "restart_delay_ms": 4000, "no_restart_on": [2, 64],
            "spares": "node9", "min_nodes": 1, "min_ranks": None, "rank_restarts": 0})
        self.assertEqual((plan["mpi"], plan["log_dir"]), ("off", os.path.join(self.folder, "logs")))

    def test_each_node_comes_with_the_way_to_it(self):
        agent = os.path.join(os.environ["ADARUN_TEST_BIN"], "adarun-agent")
        text = self.dry_run("--", "true", where="node1,nowhere")
        self.assertIn(f"# node1: ssh -p 22 root@10.77.0.2; agent {agent}\n", text)
        self.assertRegex(text, r"# nowhere: ssh -p 22 root@\? \(cannot resolve this name: .*\); agent ")
        self.assertIn("# rank 1, device 0\n", text)
        here = self.dry_run("--via", "local", "--", "true")
        self.assertIn(f"# node1: on this machine; agent {agent}\n", here)

    def test_a_relative_folder_is_seen_from_here(self):
        plan = json.loads(self.dry_run("--json", "--workdir", ".", "--", "true"))
        self.assertEqual([node["ranks"][0]["workdir"] for node in plan["nodes"]], [self.folder] * 2)
        os.mkdir("run")
        launch("--workdir", "run", "--", "pwd", hosts=hosts(1)).expect(0, stdout=f"{self.folder}/run\n" * 2)

    def test_json_has_all_of_it(self):
        write("hosts", "node1 devices=3 user=me port=2222\nnode2 slots=2\n")
        plan = json.loads(self.dry_run("--json", "--env", "A=b=c", "--", "echo", *WORDS, where="hosts"))
        schema = read_schema("plan")
        self.assertEqual(misfits(plan, schema, schema), [])
        wrong = misfits({**plan, "more": 1, "nodes": [{}]}, schema, schema)
        self.assertEqual((wrong[0], wrong[-1]), ("$.nodes[0].node", "$.more"))
        first, second = plan["nodes"]
        self.assertEqual({key: first[key] for key in ("host", "address", "user", "port")},
                         {"host": "node1", "address": "10.77.0.2", "user": "me", "port": 2222})
        self.assertEqual([(rank["rank"], rank["local_rank"], rank["device_id"]) for node in plan["nodes"]
                          for rank in node["ranks"]], [(0, 0, 3), (1, 0, 0), (2, 1, 1)])
        rank = second["ranks"][1]
        self.assertEqual((rank["argv"], rank["workdir"]), (["echo", *WORDS], self.folder))
        self.assertEqual((rank["environment"]["A"], rank["environment"]["LOCAL_RANK"]), ("b=c", "1"))
        self.assertEqual(rank["environment"]["RANK_TABLE_FILE"], second["rank_table_file"])
        self.assertEqual(rank["defaults"]["OMP_NUM_THREADS"], "1")
        self.assertEqual(json.loads(plan["rank_table"])["server_count"], "2")
