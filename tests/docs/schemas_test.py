#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the programs print by --json, and job.json, is as the schemas under docs/ have it (plan: e2e.plan)."""
import glob
import json
import os
import sys
import unittest

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(SOURCE, "tests", "e2e"))

from e2e import Case, adarun, launch  # noqa: E402
from json_schema import misfits, read_schema  # noqa: E402

LOSSES = 'for step in 1 2 3; do echo "epoch: 1 step: $step, loss is 0.$step"; done'
HELD = {"plan": "e2e.plan", "validate": "unit tests of ranktable"}


class Schemas(Case):
    def assert_fits(self, name, text):
        value, schema = json.loads(text), read_schema(name)
        self.assertEqual(misfits(value, schema, schema), [], text)
        return value

    def test_of_a_job_that_runs_and_ends(self):
        detached = launch("-q", "--detach", "--", "sh", "-c", f"{LOSSES}; exec sleep 600")
        self.addCleanup(adarun, "stop", "--now")  # Where it does not come to an end below.
        self.assertEqual(detached.returncode, 0, detached.stderr)
        status = self.assert_fits("status", adarun("status", "--json").stdout)
        self.assertEqual((status["state"], len(status["ranks"])), ("running", 16))
        with open("log_output/job.json", encoding="utf-8") as file:
            self.assert_fits("job", file.read())
        self.assert_fits("ps", adarun("ps", "--json").stdout)
        self.assertEqual(adarun("stop").returncode, 0)
        ended = self.assert_fits("status", adarun("status", "log_output", "--json").stdout)
        self.assertEqual(ended["state"], "interrupted")
        self.assertIn("status", self.assert_fits("ps", adarun("ps", "--json").stdout)[0])
        with open("log_output/job.json", encoding="utf-8") as file:
            self.assertEqual(self.assert_fits("job", file.read())["first_failure"]["kind"], "interrupted")

    def test_of_jobs_that_fail(self):
        for script, kind in ((f"{LOSSES}; test $RANK = 3 && exit 7; exec sleep 600", "rank_failed"),
                             ("test $RANK = 3 && kill -KILL $$; exec sleep 600", "rank_failed")):
            done = launch("-q", "--json", "--", "sh", "-c", script)
            end = self.assert_fits("job", done.stdout)
            self.assertEqual((end["first_failure"]["kind"], end["status"]), (kind, done.returncode))

    def test_of_losses(self):
        for folder in ("one", "two"):
            done = launch("-q", "--log-dir", folder, "--", "sh", "-c", f"{LOSSES}; echo 'epoch: 1 step: 4, loss is nan'")
            self.assertEqual(done.returncode, 0, done.stderr)
        one = self.assert_fits("monitor", adarun("monitor", "--json", "one").stdout)
        self.assertEqual(one["findings"][0]["fault"], "nan or inf")
        both = json.loads(adarun("monitor", "--json", "--compare", "one", "two").stdout)
        self.assertEqual(len([self.assert_fits("monitor", json.dumps(each))["run"] for each in both]), 2)
        os.mkdir("three")
        with open("three/0.log", "w", encoding="utf-8") as file:
            file.write("epoch: 1 step: 1, loss is 0.5\n")
        self.assert_fits("monitor", adarun("monitor", "--json", "three").stdout)

    def test_of_a_check(self):
        done = adarun("check", "--hosts", "node[1-2]:2", "--json", "--", "/no/program")
        self.assertEqual(done.returncode, 1)
        self.assertIn("wrong", [each["verdict"] for each in self.assert_fits("check", done.stdout)])

    def test_there_is_no_other(self):
        names = {os.path.basename(path).partition(".")[0] for path in glob.glob(f"{SOURCE}/docs/*.schema.json")}
        self.assertEqual(names - set(HELD), {"check", "job", "monitor", "ps", "status"})


if __name__ == "__main__":
    unittest.main()
