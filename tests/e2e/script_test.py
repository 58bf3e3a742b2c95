#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""adarun script: what it writes is run, by those it is for where they are here."""
import json
import os
import re
import shutil
import signal
import subprocess
import time
import unittest

import yaml
from e2e import DEADLINE_S, Case, adarun, hosts, survivors

NODES = os.environ["ADARUN_TEST_HOSTS"].split(",")
ODD_WORDS = ["a b", "it's", "$HOME", 'quo"te', "back\\slash", "two\nlines", "ü", "*", ""]


def run(*words, folder=".", limit_s=DEADLINE_S):
    return subprocess.run(words, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=limit_s,
                          check=False)


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


class Script(Case):
    def script(self, kind, *options, program=(), places=None):
        behind = ["--", *program] if program else []
        done = adarun("script", kind, "--hosts", places or hosts(2), *options, *behind)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout


class Node(Script):
    def node_scripts(self, *program, places=None):
        said = self.script("node", "-o", "job", program=program, places=places)
        self.assertEqual(said.split(), ["job/rank_table.json", *(f"job/run_node{i + 1}.sh" for i in range(len(NODES)))])

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


class Msrun(Script):
    def test_has_a_line_for_each_node(self):
        said = self.script("msrun", program=["python3", "train.py", "a b"])
        self.assertEqual(re.findall(r"--node_rank=(\d)", said), ["0", "1"])
        self.assertEqual(said.count("--worker_num=4 --local_worker_num=2 --master_addr=node1 --master_port=8118"), 2)
        self.assertEqual(said.count("--join=True train.py 'a b'\n"), 2)

    def test_leaves_ranks_to_msrun_where_nodes_differ(self):
        said = self.script("msrun", program=["./train"], places="a:1,b:2")
        self.assertNotIn("--node_rank", said)


class Kubernetes(Script):
    def test_is_a_job_for_each_node_with_all_it_needs(self):
        said = self.script("k8s", "--image", "registry/train:1", "--name", "run-3", program=["./train", *ODD_WORDS])
        config, *jobs = yaml.safe_load_all(said)
        self.assertEqual(json.loads(config["data"]["rank_table.json"])["server_count"], "2")
        self.assertEqual([job["metadata"]["name"] for job in jobs], ["run-3-1", "run-3-2"])
        pod = jobs[1]["spec"]["template"]["spec"]
        self.assertEqual(pod["nodeSelector"], {"kubernetes.io/hostname": NODES[1]})
        self.assertEqual(pod["containers"][0]["image"], "registry/train:1")
        self.assertIn("exec bash run_node2.sh", pod["containers"][0]["command"][2])
        self.script("node", "-o", "job", program=["./train", *ODD_WORDS])
        self.assertEqual(config["data"]["run_node2.sh"], read("job/run_node2.sh"))


class Refused(Case):
    def test_in_one_line_and_nothing_is_written(self):
        with open("bad.sh", "w", encoding="utf-8") as file:
            file.write("{{nobody}}\n")
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
            (["sbatch", "--nodes", "2", "--time", "2 h", "--", "x"], 2, '--time: "2 h": wanted a limit as Slurm takes it'),
            (["sbatch", "--hosts", "n1:2", "--ntasks-per-node", "2", "--", "x"], 2, "--ntasks-per-node requires --nodes"),
            (["nod"], 2, '"nod": script has no such command; did you mean node?'),
        ]
        for words, status, said in cases:
            done = adarun("script", *words)
            self.assertEqual((done.returncode, done.stdout), (status, ""), (words, done.stderr))
            self.assertTrue(done.stderr.startswith(f"adarun: {said}"), done.stderr)
            self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        self.assertEqual(os.listdir(), ["bad.sh"])

    def test_our_template_is_a_template(self):
        shown = adarun("script", "node", "--show-template").stdout
        with open("own.sh", "w", encoding="utf-8") as file:
            file.write(shown + "# Mine.\n")
        for options in [], ["--template", "own.sh"]:
            done = adarun("script", "node", "--hosts", "n1:2", "-o", "o", *options, "--", "true")
            self.assertEqual(done.returncode, 0, done.stderr)
            written = read("o/run_node1.sh")
            self.assertEqual(written.endswith("# Mine.\n"), bool(options))


if __name__ == "__main__":
    unittest.main(verbosity=2)
