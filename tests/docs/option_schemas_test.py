# SPDX-License-Identifier: Apache-2.0
"""Checks the schemas of the files that users write: that they are those of --help, explain every key, and fit what adarun takes and prints."""
import glob
import json
import os
import re
import subprocess
import tempfile
import unittest

import jsonschema

import option_schemas

WRITTEN_BY_USERS = ("spec", "config", "trainer-config", "parallel-plan")
LAYER = {"name": "fc", "replicas": 2, "parts": 1, "split": "none"}


def read(name):
    with open(os.path.join(option_schemas.DOCS, name), encoding="utf-8") as file:
        return file.read()


def schema(name):
    return json.loads(read(f"{name}.schema.json"))


def example_of(page):
    return json.loads(re.search(r"```json\n(.*?)```", read(page), re.DOTALL)[1])


def unexplained(part, whole, path=""):
    """The paths of properties that have no description."""
    if "$ref" in part:
        part = {**whole["$defs"][part["$ref"].rpartition("/")[2]], **part}
    found = []
    for name, inner in part.get("properties", {}).items():
        target = whole["$defs"][inner["$ref"].rpartition("/")[2]] if "$ref" in inner else {}
        text = inner.get("description", "") or target.get("description", "")
        if len(re.sub(r"\(default.*\)", "", text)) < 4:
            found.append(f"{path}.{name}")
        found += unexplained(inner, whole, f"{path}.{name}")
    return found + (unexplained(part["items"], whole, f"{path}[]") if "items" in part else [])


class OptionSchemas(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def printed(self, program, *words):
        """What a program prints in a folder with a home of its own, without a word on stderr."""
        kept = {name: value for name, value in os.environ.items() if not name.startswith("ADARUN_")}
        done = subprocess.run([os.path.join(os.environ["ADARUN_TEST_BIN"], program), *words], cwd=self.folder, check=False, text=True,
                              env={**kept, "HOME": self.folder}, stdin=subprocess.DEVNULL, capture_output=True, timeout=60)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout

    def write(self, name, value):
        with open(os.path.join(self.folder, name), "w", encoding="utf-8") as file:
            json.dump(value, file)

    def assert_fits(self, name, value):
        self.assertRegex(value["$schema"], rf"^file:///usr/share/doc/adarun/docs/{name}\.schema\.json$")
        self.assertEqual(next(iter(value)), "$schema", "it comes first")
        jsonschema.Draft202012Validator(schema(name)).validate(value)

    def test_are_those_of_help(self):
        for name, text in option_schemas.texts().items():
            self.assertEqual(read(name), text, f"{name}: python3 tests/docs/option_schemas.py writes it anew")

    def test_are_valid_and_explain_every_key(self):
        for path in glob.glob("*.schema.json", root_dir=option_schemas.DOCS):
            jsonschema.Draft202012Validator.check_schema(json.loads(read(path)))
        for name in WRITTEN_BY_USERS:
            self.assertEqual(unexplained(schema(name), schema(name)), [], name)
            self.assertIn("$schema", schema(name)["properties"])

    def test_find_mistakes(self):
        for name, wrong in (("spec", {"host": "a"}), ("spec", {"roles": [{"name": "a", "program": ["x"], "rank": "0"}]}),
                            ("config", {"train": {"logdir": "x"}}), ("config", {"fanout": None}), ("trainer-config", {"epoch": 3}),
                            ("trainer-config", {"epochs": [3]})):
            self.assertFalse(jsonschema.Draft202012Validator(schema(name)).is_valid(wrong), wrong)

    def test_fit_files_of_defaults(self):
        example = example_of("config.md")
        self.assert_fits("config", example)
        self.write(".adarun.json", {**example, "$schema": "./config.schema.json"})
        listed = json.loads(self.printed("adarun", "config", "--json"))
        self.assertEqual({each["option"] for each in listed}, {"hosts", "fanout", "log-dir"})
        shown = re.search(r"(?m)^ *(\{\"\$schema\".*\n.*\})$", self.printed("adarun", "config", "--help"))[1]
        self.assert_fits("config", json.loads(shown))

    def test_fit_jobs(self):
        example = example_of("roles.md")
        self.assert_fits("spec", example)
        self.write("job.json", example)
        again = json.loads(self.printed("adarun", "launch", "--spec", "job.json", "--print-spec"))
        self.assert_fits("spec", again)
        self.assertEqual((again["roles"], again.keys()), (example["roles"], example.keys()))
        words = ("-vv", "--tag-output", "--timeout", "9s", "-n", "2", "--env", "A=1", "--env", "B=2", "--no-restart-on", "3", "--print-spec",
                 "--", "true")
        self.assert_fits("spec", json.loads(self.printed("adarun", "launch", *words)))

    def test_fit_trainings(self):
        for preset in ("lenet5-mnist", "boost-adasum-resnet50-imagenet"):
            self.assert_fits("trainer-config", json.loads(self.printed("adarun-trainer", "--preset", preset, "--print-config")))

    def test_fit_plans(self):
        by_hand = {"$schema": "file:///usr/share/doc/adarun/docs/parallel-plan.schema.json", "schema": "adarun-plan-1", "model": "mlp", "ranks": 2,
                   "batch": 32, "layers": [LAYER]}
        self.assert_fits("parallel-plan", by_hand)
        costs = {"$schema": "x", "schema": "adarun-links-1", "levels": [{"name": "node", "message_s": 1e-6, "byte_s": 1e-10, "shared": False}]}
        self.write("costs.json", costs)
        plan = json.loads(self.printed("adarun", "plan", "--ranks", "2", "--model", "mlp", "--costs", "costs.json", "--json"))
        self.write("plan.json", {"$schema": by_hand["$schema"], **plan})
        again = self.printed("adarun", "plan", "--ranks", "2", "--model", "mlp", "--costs", "costs.json", "--evaluate", "plan.json", "--json")
        self.assertEqual(json.loads(again)["layers"], plan["layers"])


if __name__ == "__main__":
    unittest.main()
