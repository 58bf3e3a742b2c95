#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What jobs would run where, by --dry-run --json, compared with what it was: the files of plans/.

A change shows there; ADARUN_WRITE_PLANS=1 writes them anew. Ids, random names, ports drawn from the id and the paths
of this machine are replaced by words.
"""
import getpass
import json
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

BIN = os.environ["ADARUN_TEST_BIN"]
PLANS = pathlib.Path(__file__).resolve().parent / "plans"
NODES = "192.0.2.[1-2]"
SPEC = {"timeout": "8h", "env": ["HCCL_CONNECT_TIMEOUT=600"], "roles": [
    {"name": "proxy", "hosts": "192.0.2.1:1", "program": ["./proxy", "--port", "8000"], "background": True, "restarts": 3},
    {"name": "decode", "hosts": "192.0.2.2:2", "program": ["./serve", "a b"], "env": ["BATCH=8"], "workdir": "/data"}]}
CASES = {
    "plain": ["launch", "--hosts", f"{NODES}:2", "--", "train.py", "--lr", "0.1"],
    "attempts": ["launch", "--hosts", f"{NODES}:1", "--spare", "192.0.2.3:1", "--min-nodes", "1", "--restarts", "2",
                 "--restart-delay", "3s", "--no-restart-on", "2,3", "--", "true"],
    "elastic": ["launch", "--hosts", f"{NODES}:2", "--min-ranks", "2", "--rank-restarts", "3", "--", "true"],
    "limits": ["launch", "--hosts", "192.0.2.1:1", "--timeout", "1h", "--hang-timeout", "10m", "--lease", "20s", "--grace", "3s",
               "--connect-timeout", "5s", "--", "true"],
    "environment": ["launch", "--hosts", "192.0.2.1:2", "--env", "A=b c", "--env", "RANK_SIZE=9", "--workdir", "/w", "--umask", "027",
                    "--bind", "core", "--ulimit", "nofile=1024", "--visible-devices", "cuda", "--stdout", "pipe", "--mpi", "off",
                    "--", "true"],
    "login": ["launch", "--hosts", "ada@192.0.2.1:1", "--port", "2222", "--agent", "/opt/adarun-agent", "--", "true"],
    "command": ["launch", "--hosts", "192.0.2.1:1", "--via", "exec:enter {host}", "--", "true"],
    "local": ["launch", "--via", "local", "--hosts", "192.0.2.1:2", "--name", "mine", "--", "true"],
    "roles": ["launch", "--spec", "job.json"],
    "table": ["launch", "-r", "table.json", "--env", "MASTER_PORT=29500", "--", "true"],
    "train": ["train", "--hosts", f"{NODES}:1", "--", "--reduce", "mean", "--epochs", "1"],
}


def neutral(text, folder):
    """Without what differs from run to run and from machine to machine."""
    for found, word in ((re.escape(folder), "FOLDER"), (re.escape(BIN), "BIN"), (r"\d{8}-\d{6}-[0-9a-f]{6}", "JOB"),
                        (r"(?<=-)[0-9a-f]{16}(?=/)", "RANDOM"), (r'(?<="MASTER_PORT": ")(?!29500)\d+', "PORT"),
                        (rf'(?<="user": "){re.escape(getpass.getuser())}"', 'USER"')):
        text = re.sub(found, word, text)
    return text


class Plans(unittest.TestCase):
    maxDiff = None

    def test_are_what_they_were(self):
        for name, command in CASES.items():
            with self.subTest(name), tempfile.TemporaryDirectory() as folder:
                self.compare(name, self.plan(command, os.path.realpath(folder)))

    @staticmethod
    def plan(command, folder):
        with open(f"{folder}/job.json", "w", encoding="utf-8") as file:
            json.dump(SPEC, file)
        env = {"PATH": os.environ["PATH"], "HOME": folder, "LANG": "C.UTF-8", "ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "")}
        run = lambda *words: subprocess.run(  # noqa: E731
            [f"{BIN}/adarun", *words], cwd=folder, env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60,
            check=False)
        made = run("ranktable", "gen", "--plain", "--server-ip", "192.0.2.9", "--devices", "2,5", "-o", "table.json")
        assert made.returncode == 0, made.stderr
        done = run(*command[:1], "--dry-run", "--json", *command[1:])
        assert done.returncode == 0, done.stderr
        return neutral(done.stdout, folder)

    def compare(self, name, text):
        file = PLANS / f"{name}.json"
        if "ADARUN_WRITE_PLANS" in os.environ:
            file.write_text(text, encoding="utf-8")
        self.assertEqual(text, file.read_text(encoding="utf-8"), file)


if __name__ == "__main__":
    unittest.main()
