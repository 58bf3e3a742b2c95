# SPDX-License-Identifier: Apache-2.0
"""adarun script: runs the scripts that it writes, with the programs they are for if these are installed."""
import getpass
import json
import os
import re
import shutil
import signal
import subprocess
import time

import yaml
from e2e import DEADLINE_S, Case, adarun, hosts, read, run, survivors, write

NODES = os.environ["ADARUN_TEST_HOSTS"].split(",")
ODD_WORDS = ["a b", "it's", "$HOME", 'quo"te', "back\\slash", "two\nlines", "ü", "*", ""]


class Script(Case):
    def script(self, kind, *options, program=(), places=None):
        behind = ["--", *program] if program else []
        done = adarun("script", kind, "--hosts", places or hosts(2), *options, *behind).expect(0)
        self.said = done.stderr
        return done.stdout


class Node(Script):
    def node_scripts(self, *program, places=None, roles=()):
        self.assertEqual(self.script("node", "-o", "job", *roles, program=program, places=places), "")
        self.assertEqual(self.said, "adarun: wrote job/rank_table.json and job/run_node[1-2].sh\n")
        self.assertEqual(sorted(os.listdir("job")), ["rank_table.json", *(f"run_node{i + 1}.sh" for i in range(len(NODES)))])

    def test_each_rank_has_its_variables_and_logs(self):
        self.node_scripts("sh", "-c", 'echo "$0 rank $RANK_ID device $DEVICE_ID of $RANK_SIZE"; printf "<%s>" "$@"', "I",
                          *ODD_WORDS)
        for number, node in enumerate(NODES, 1):
            own = f"on{number}"
            shutil.copytree("job", own)
            done = run("ssh", node, f"API_TOKEN=hidden bash {self.folder}/{own}/run_node{number}.sh")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("all 2 ranks are done", done.stdout)
            for device in range(2):
                rank = 2 * (number - 1) + device
                log = read(f"{own}/device{device}/train.log")
                self.assertEqual(log, f"I rank {rank} device {device} of 4\n" + "".join(f"<{w}>" for w in ODD_WORDS))
                env = read(f"{own}/device{device}/env.log")
                self.assertIn(f"\nRANK_TABLE_FILE={self.folder}/{own}/rank_table.json\n", env)
                self.assertIn(f"\nSERVER_ID={number - 1}\n", env)
                self.assertIn("API_TOKEN=***\n", env)
                self.assertEqual(os.stat(f"{own}/device{device}/env.log").st_mode & 0o777, 0o600)
        table = json.loads(read("on1/rank_table.json"))
        self.assertEqual([server["server_id"] for server in table["server_list"]], NODES)

    def test_variables_are_those_of_launch(self):
        self.node_scripts("true", places=hosts(2))
        self.assertEqual(run("bash", "job/run_node1.sh").returncode, 0)
        scripted = dict(line.split("=", 1) for line in read("job/device1/env.log").splitlines() if "=" in line)
        plain = adarun("ranktable", "env", "job/rank_table.json", "--rank", 1, "--json")
        launched = json.loads(plain.stdout)["environment"]
        for name, value in launched.items():
            if name != "RANK_TABLE_FILE":
                self.assertEqual(scripted.get(name), value, name)

    def test_output_is_shown_where_it_is_wanted_each_line_behind_its_rank(self):
        self.node_scripts("sh", "-c", 'echo "here $RANK_ID"; printf "no line end"; test "$RANK_ID" != 1 || exit 7')
        for folder in "job/device0", "job/device1":
            os.mkdir(folder)
            write(f"{folder}/train.log", "of an earlier run\n" * 100)
        done = run("bash", "job/run_node1.sh", "--show-output")
        self.assertEqual(done.returncode, 7)
        lines = [line for line in done.stdout.splitlines() if line.startswith("[")]
        self.assertEqual(sorted(lines), ["[0] here 0", "[0] no line end", "[1] here 1", "[1] no line end"])
        self.assertEqual(read("job/device1/train.log"), "here 1\nno line end")
        wrong = run("bash", "job/run_node1.sh", "--show")
        self.assertEqual((wrong.returncode, wrong.stderr),
                         (2, "run_node1.sh: wanted nothing or --show-output, found --show\n"))

    def test_the_first_failure_is_named_and_ends_the_others(self):
        self.node_scripts("sh", "-c", 'echo here; test "$RANK_ID" != 1 || exit 7; sleep 600 & wait')
        done = run("bash", "job/run_node1.sh")
        self.assertEqual(done.returncode, 7)
        self.assertRegex(done.stderr, r"rank 1 \(device 1\) failed first here: exit code 7; .*device1/train.log:\n    here\n")
        self.assertEqual(survivors(deadline_s=20), [])

    def test_a_signal_is_named(self):
        self.node_scripts("sh", "-c", 'test "$RANK_ID" != 0 || kill -9 $$; sleep 600')
        done = run("bash", "job/run_node1.sh")
        self.assertEqual(done.returncode, 137)
        self.assertIn("rank 0 (device 0) failed first here: SIGKILL", done.stderr)

    def test_term_ends_all_ranks_also_those_that_ignore_it(self):
        self.node_scripts("sh", "-c", "trap '' TERM; echo up; sleep 600 & wait; sleep 600")
        with subprocess.Popen(["bash", "job/run_node1.sh"], stdin=subprocess.DEVNULL) as script:
            deadline = time.monotonic() + DEADLINE_S
            logs = [f"job/device{i}/train.log" for i in range(2)]
            while not all(os.path.exists(log) and read(log) == "up\n" for log in logs):
                self.assertLess(time.monotonic(), deadline)
                time.sleep(0.05)
            script.send_signal(signal.SIGTERM)
            self.assertEqual(script.wait(DEADLINE_S), 143)

    def test_each_role_has_its_program_and_variables(self):
        show = 'echo "$0 $RANK: $ADARUN_ROLE $ADARUN_ROLE_RANK of $ADARUN_ROLE_SIZE, $ROLE_RANK"'
        self.node_scripts("sh", "-c", show, "I am", "--role", "worker=0,2-3", "--", "sh", "-c", show + '; printf "<%s>" "$@"', "I",
                          *ODD_WORDS, roles=["--role", "server=1"])
        for number in 1, 2:
            self.assertEqual(run("bash", f"job/run_node{number}.sh").returncode, 0)
            if number == 1:
                self.assertEqual(read("job/device1/train.log"), "I am 1: server 0 of 1, 0\n")
                self.assertRegex(read("job/device1/env.log"), "(?m)^ADARUN_ROLE=server$")
        words = "".join(f"<{word}>" for word in ODD_WORDS)
        self.assertEqual(read("job/device1/train.log"), f"I 3: worker 2 of 3, 2\n{words}")
        checked = run("shellcheck", "job/run_node1.sh", "job/run_node2.sh")
        self.assertEqual(checked.stdout + checked.stderr, "")

    def test_shellcheck_has_nothing_to_say(self):
        self.node_scripts("sh", "-c", "echo $RANK_ID 'x'", *ODD_WORDS)
        done = run("shellcheck", "job/run_node1.sh", "job/run_node2.sh")
        self.assertEqual(done.stdout + done.stderr, "")


class OpenMpi(Script):
    def mpirun(self, *options):
        done = run("mpirun", "--allow-run-as-root", "--oversubscribe", *options, "-n", "4", "sh", "-c",
                   'echo "$OMPI_COMM_WORLD_RANK $(hostname)"')
        self.assertEqual(done.returncode, 0, done.stderr)
        return sorted(done.stdout.splitlines())

    def test_takes_hostfile_and_rankfile(self):
        self.script("hostfile", "-o", "hosts")
        where = [line.split()[0] for line in read("hosts").splitlines()]
        self.assertEqual(where, NODES)
        by_slot = self.mpirun("--hostfile", "hosts")
        self.assertEqual([line.split()[0] for line in by_slot], ["0", "1", "2", "3"])
        self.script("rankfile", "-o", "ranks")
        self.assertEqual(read("ranks"), "".join(f"rank {i}={NODES[i // 2]} slot={i % 2}\n" for i in range(4)))


    def test_hostfile_has_users_and_says_what_it_has_no_place_for(self):
        write("list", "me@node1 devices=4,5 port=2222\nnode2 devices=3\nnode3 slots=2\n")
        done = adarun("script", "hostfile", "--hosts", "list")
        self.assertEqual(done.stdout, "me@node1 slots=2\nnode2 slots=1\nnode3 slots=2\n")
        self.assertEqual(done.stderr.splitlines(), [
            "adarun: script hostfile: warning: devices 4,5 of node1 (and 1 more): left out: Open MPI has slots alone; "
            "for adarun: --for adarun",
            "adarun: script hostfile: warning: port 2222 of node1: left out: Open MPI takes ssh's configuration; "
            "for adarun: --for adarun"])
        own = adarun("script", "hostfile", "--hosts", "list", "--for", "adarun")
        self.assertEqual((own.stdout, own.stderr),
                         ("me@node1 devices=4,5 port=2222\nnode2 devices=3\nnode3 slots=2\n", ""))
        write("again", own.stdout)
        self.assertEqual(adarun("script", "hostfile", "--hosts", "again", "--for", "adarun").stdout, own.stdout)
        self.assertEqual(adarun("script", "rankfile", "--hosts", "list").stderr.count("warning"), 3)

    def test_open_mpi_takes_a_user(self):
        write("hosts", f"{getpass.getuser()}@localhost slots=4\n")
        self.assertEqual(len(self.mpirun("--hostfile", "hosts")), 4)

    def test_nodes_come_in_the_order_of_their_ranks(self):
        table = json.loads(adarun("ranktable", "gen", "--plain", "--hosts", "a:2,b:2", "-o", "-").stdout)
        table["server_list"].reverse()
        write("table.json", json.dumps(table))
        done = adarun("script", "hostfile", "-r", "table.json")
        self.assertEqual(done.stdout, "a slots=2\nb slots=2\n", done.stderr)


class Msrun(Script):
    def test_has_a_line_for_each_node(self):
        said = self.script("msrun", program=["python3", "train.py", "a b"])
        self.assertEqual(re.findall(r"--node_rank=(\d)", said), ["0", "1"])
        self.assertEqual(said.count("--worker_num=4 --local_worker_num=2 --master_addr=node1 --master_port=8118"), 2)
        self.assertEqual(said.count("--join=True python3 train.py 'a b'\n"), 2)

    def test_starts_any_program_by_the_python_that_msrun_wants(self):
        for words in ["printf", "<%s>", *ODD_WORDS], ["/usr/bin/python3", "-c", "print(1)"]:
            said = self.script("msrun", program=words)
            line = said.split(" --join=True ")[1].split("\n# on ")[0]
            self.assertTrue(line.startswith("python3 -c "), line)
            self.assertEqual(run("sh", "-c", line).stdout, run(*words).stdout)
        self.assertIn("--join=True ./train.py x\n", self.script("msrun", program=["./train.py", "x"]))

    def test_chooses_the_devices_of_a_node(self):
        write("hosts", "node1 devices=5,4\nnode2 slots=2\n")
        said = self.script("msrun", program=["train.py"], places="hosts")
        self.assertRegex(said, r"# on node1:\nASCEND_RT_VISIBLE_DEVICES=5,4 msrun .*\n# on node2:\nmsrun ")

    def test_says_that_a_plain_table_is_none_for_mindspore(self):
        done = adarun("script", "msrun", "--hosts", "n1:2", "--table-path", "/t.json", "--", "train.py")
        self.assertNotIn("rank_table_file", done.stdout)
        self.assertIn("script msrun: warning: --table-path is left out: a table without card addresses", done.stderr)

    def test_says_that_an_ipv6_address_is_none_for_msrun(self):
        done = adarun("script", "msrun", "--hosts", "[fd00::1]:2", "--", "train.py")
        self.assertEqual(done.stderr,
                         "adarun: script msrun: warning: fd00::1: an IPv6 address, which msrun does not take\n")

    def test_leaves_ranks_to_msrun_where_nodes_differ(self):
        said = self.script("msrun", program=["./train"], places="a:1,b:2")
        self.assertNotIn("--node_rank", said)


class Sbatch(Case):
    def test_is_warned_but_of_a_limit_that_is_too_short(self):
        for limit, warned in (None, True), ("4", True), ("3:59", False), ("0", True), ("UNLIMITED", True), ("infinite", True):
            done = adarun("script", "sbatch", "--nodes", "2", *(["--time", limit] if limit else []), "--", "x")
            self.assertEqual((done.returncode, done.stderr), (0, ""), limit)
            self.assertEqual("#SBATCH --signal=B:TERM@120\n" in done.stdout, warned, limit)
            self.assertEqual(f"#SBATCH --time={limit}\n" in done.stdout, limit is not None)


class Kubernetes(Script):
    def test_is_a_job_for_each_node_with_all_it_needs(self):
        said = self.script("k8s", "--image", "registry/train:1", "--name", "run-3", program=["./train", *ODD_WORDS])
        config, *jobs = yaml.safe_load_all(said)
        self.assertEqual(json.loads(config["data"]["rank_table.json"])["server_count"], "2")
        self.assertEqual([job["metadata"]["name"] for job in jobs], ["run-3-1", "run-3-2"])
        pod = jobs[1]["spec"]["template"]["spec"]
        self.assertEqual(pod["nodeSelector"], {"kubernetes.io/hostname": NODES[1]})
        self.assertEqual(pod["containers"][0]["image"], "registry/train:1")
        self.assertTrue(pod["containers"][0]["command"][2].endswith("exec bash run_node2.sh --show-output"))
        self.script("node", "-o", "job", program=["./train", *ODD_WORDS])
        self.assertEqual(config["data"]["run_node2.sh"], read("job/run_node2.sh"))

    def test_holds_what_yaml_takes_otherwise_than_json(self):
        for word in "a\u2028b", "a\u2029b", "a\u0085b", "a\x7fb", "a\u009bb", "a\ufeffb", "\U0001f600", "a\u00e9b":
            said = self.script("k8s", "--image", "i", program=["x", word])
            config = next(yaml.safe_load_all(said))
            self.assertIn(f"exec setsid x '{word}' >", config["data"]["run_node1.sh"])


class Addresses(Case):
    def test_are_said_to_be_no_names_of_nodes(self):
        adarun("ranktable", "gen", "--plain", "--hosts", "10.0.0.[1-2]:2", "-o", "t.json").expect(0)
        write("map", "10.0.0.1 node1\n10.0.0.2 node2\n")
        names = [(kind, f"{system} knows nodes by their names")
                 for kind, system in (("sbatch", "Slurm"), ("pbs", "PBS"), ("lsf", "LSF"), ("flux", "Flux"))]
        for kind, why in [*names, ("k8s", "the label kubernetes.io/hostname is a node's name")]:
            words = ["script", kind, *(["--image", "i"] if kind == "k8s" else [])]
            said = f"adarun: script {kind}: warning: 10.0.0.1 (and 1 more): an address, and {why}; "
            by_table = adarun(*words, "-r", "t.json", "--", "x")
            self.assertEqual((by_table.returncode, by_table.stderr),
                             (0, said + "--map FILE says which name a server_id stands for\n"))
            by_list = adarun(*words, "--hosts", "10.0.0.[1-2]:2", "--", "x")
            self.assertEqual(by_list.stderr, said + "name the nodes so in --hosts\n")
            mapped = adarun(*words, "-r", "t.json", "--map", "map", "--", "x")
            self.assertEqual(mapped.stderr, "")
            self.assertNotIn("nodelist=10.", mapped.stdout)


class Refused(Case):
    def test_is_a_table_whose_names_would_be_lines_or_options(self):
        good = adarun("ranktable", "gen", "--plain", "--hosts", "n1:2", "-o", "-").stdout
        for name in "n1\n#SBATCH --wrap=x", "n1\n#PBS -W x", "-n1", "n1 slots=9", "$(x)", "../n1":
            write("evil.json", good.replace('"n1"', json.dumps(name)))
            for kind in "node", "sbatch", "pbs", "lsf", "flux", "hostfile", "rankfile", "msrun", "k8s":
                words = [kind, "-r", "evil.json", *(["--image", "i"] if kind == "k8s" else [])]
                done = adarun("script", *words, *([] if kind.endswith("file") else ["--", "x"])).expect(1, stdout="")
                self.assertIn("evil.json: $.server_list[0].server_id: server_id must hold letters", done.stderr)
                self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
            for words in ["check"], ["launch", "--dry-run"]:
                self.assertEqual(adarun(*words, "-r", "evil.json", "--", "true").returncode, 1, words)
            self.assertEqual(os.listdir(), ["evil.json"])

    def test_in_one_line_and_nothing_is_written(self):
        write("bad.sh", "{{nobody}}\n")
        write("program.sh", "{{program}}\n")
        cases = [
            (["node", "--hosts", "n1:2"], 2, "script node: says what ranks run behind --"),
            (["hostfile", "--hosts", "n1:2", "--", "x"], 2, "script hostfile: takes nothing behind --, found x"),
            (["k8s", "--hosts", "n1:2", "--", "x"], 2, "script k8s: --image is required"),
            (["k8s", "--hosts", "n1:2", "--image", "i", "--name", "A b", "--", "x"], 2, '--name: "A b": wanted'),
            (["node", "--", "x"], 2, "say where to run: -r TABLE or --hosts LIST"),
            (["node", "--hosts", "n1:2", "--template", "bad.sh", "-o", "o", "--", "x"], 3,
             "bad.sh:1: {{nobody}}: there is no such text"),
            (["node", "--hosts", "n1:2", "--template", "none", "--", "x"], 3, "none: "),
            (["sbatch", "--nodes", "2", "--hosts", "n1:2", "--", "x"], 2, "--hosts excludes --nodes"),
            *(([kind, "--nodes", "2", "--exclude", "n1", "--", "x"], 2, "--exclude excludes --nodes")
              for kind in ("sbatch", "pbs", "lsf", "flux")),
            (["pbs", "--hosts", "[fe80::1]:2", "--", "x"], 2, "script pbs: fe80::1: "),
            (["sbatch", "--nodes", "2", "--time", "2 h", "--", "x"], 2, '--time: "2 h": wanted minutes, or a time such as 2:00:00'),
            (["pbs", "--nodes", "2", "--time", "UNLIMITED", "--", "x"], 2, '--time: "UNLIMITED": wanted minutes, or a time such as'),
            (["sbatch", "--hosts", "n1:2", "--ntasks-per-node", "2", "--", "x"], 2, "--ntasks-per-node requires --nodes"),
            (["pbs", "--nodes", "2", "--hosts", "n1:2", "--", "x"], 2, "--hosts excludes --nodes"),
            (["pbs", "--nodes", "2", "--name", "2runs", "--", "x"], 2, '--name: "2runs": PBS wants a letter first'),
            (["pbs", "--nodes", "2", "--name", "a\n#PBS", "--", "x"], 2, '--name: "a\\n#PBS": wanted'),
            (["lsf", "--nodes", "2", "--time", "0", "--", "x"], 2, '--time: "0": wanted more than 0'),
            (["lsf", "--nodes", "2", "--time", "1\n2", "--", "x"], 2, '--time: "1\\n2": wanted minutes'),
            (["flux", "--nodes", "0", "--", "x"], 2, "--nodes: "),
            (["flux", "--nodes", "2"], 2, "script flux: says what ranks run behind --"),
            (["msrun", "--hosts", "n1:2", "--role", "a=0-1", "--", "x"], 2, "script msrun: --role: all its ranks run one program"),
            (["hostfile", "--hosts", "n1:2", "--role", "a=0-1"], 2, "--role: hostfile has no such option"),
            (["node", "--hosts", "n1:2", "--role", "a=0", "--", "x"], 2, "--role: rank 1 is in no role"),
            (["node", "--hosts", "n1:2", "--role", "a=0-1:optional", "--", "x"], 2,
             "script node: --role a: background, optional and restarts are only for scripts that run adarun launch"),
            (["pbs", "--nodes", "2", "--role", "a=0-2", "--", "x"], 2, "--role: role a: rank 2 of a job of 2: its ranks begin at 0"),
            (["node", "--hosts", "n1:2", "--role", "a=0-1", "--template", "program.sh", "-o", "o", "--", "x"], 3,
             "program.sh:1: {{program}}: there is no such text"),
            (["nod"], 2, '"nod": script has no such command; did you mean node?'),
        ]
        for words, status, said in cases:
            done = adarun("script", *words)
            self.assert_refused(done, status, said)
        self.assertEqual(sorted(os.listdir()), ["bad.sh", "program.sh"])

    def test_are_no_defaults_where_the_site_chooses_the_nodes(self):
        os.makedirs("config/adarun")
        write("config/adarun/config.json", json.dumps({"exclude": "adarun-0.adarun"}))
        for kind, more in ("pbs", []), ("k8s", ["--image", "i"]):
            words = ["script", kind, "--nodes", "2", *more, "--", "x"]
            plain = adarun(*words)
            for name, value in ("ADARUN_EXCLUDE", "adarun-0.adarun"), ("XDG_CONFIG_HOME", f"{self.folder}/config"):
                os.environ[name] = value
                done = adarun(*words)
                del os.environ[name]
                self.assertEqual((done.returncode, done.stdout), (0, plain.stdout), (kind, done.stderr))

    def test_our_template_is_a_template(self):
        shown = adarun("script", "node", "--show-template").stdout
        write("own.sh", shown + "# Mine.\n")
        for options in [], ["--template", "own.sh"]:
            adarun("script", "node", "--hosts", "n1:2", "-o", "o", *options, "--", "true").expect(0)
            written = read("o/run_node1.sh")
            self.assertEqual(written.endswith("# Mine.\n"), bool(options))

    def test_so_is_that_of_each_kind(self):
        pods = ["--nodes", "2", "--image", "i"]
        for kind, options in (("node", ["--hosts", "n1:2"]), ("sbatch", ["--nodes", "2"]), ("pbs", ["--nodes", "2"]), ("lsf", ["--nodes", "2"]),
                              ("flux", ["--nodes", "2"]), ("hostfile", ["--hosts", "n1:2"]), ("rankfile", ["--hosts", "n1:2"]),
                              ("msrun", ["--hosts", "n1:2"]), ("k8s", ["--hosts", "n1:2", "--image", "i"]), ("k8s", pods),
                              ("k8s", [*pods, "--jobset"])):
            program = [] if kind.endswith("file") else ["--", "x"]
            output = ["-o", "o"] if kind == "node" else []
            shown = adarun("script", kind, *options, "--show-template").stdout
            write("own", shown)
            ours, own = (adarun("script", kind, *options, *more, *output, *program) for more in ([], ["--template", "own"]))
            self.assertEqual((own.returncode, own.stdout), (0, ours.stdout), (kind, own.stderr))
            self.assertNotEqual(shown, ours.stdout)
