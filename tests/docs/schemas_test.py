# SPDX-License-Identifier: Apache-2.0
"""Checks the --json output of the programs, and job.json, against the schemas under docs/ (the plan: e2e.plan)."""
import glob
import json
import os
import sys

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(SOURCE, "tests", "e2e"))

from e2e import Case, adarun, launch, read, run, write  # noqa: E402
from json_schema import misfits, read_schema  # noqa: E402

LOSSES = 'for step in 1 2 3; do echo "epoch: 1 step: $step, loss is 0.$step"; done'
HELD = {"plan": "e2e.plan", "validate": "unit tests of ranktable", "config": "option_schemas_test", "trainer-config": "option_schemas_test"}


def super_pods(path, status, devices):
    """A table of version 1.2, one device per server: (server_id, device_ip, super_device_id, super_pod_id) for each rank."""
    table = {
        "version": "1.2", "server_count": str(len(devices)), "status": status,
        "server_list": [{"server_id": server, "device": [{"device_id": "0", "device_ip": ip, "rank_id": str(rank),
                                                          "super_device_id": number}]}
                        for rank, (server, ip, number, _) in enumerate(devices)],
        "super_pod_list": [{"super_pod_id": pod, "server_list": [{"server_id": server} for server, *_, its in devices if its == pod]}
                           for pod in sorted({its for *_, its in devices})]}
    write(path, json.dumps(table))


def data(*arguments):
    trainer = os.path.join(os.environ["ADARUN_TEST_BIN"], "adarun-trainer")
    return run(trainer, "data", *arguments)


class Schemas(Case):
    def assert_fits(self, name, text):
        value, schema = json.loads(text), read_schema(name)
        self.assertEqual(misfits(value, schema, schema), [], text)
        return value

    def test_of_defaults(self):
        write(".adarun.json", json.dumps({"fanout": 3, "launch": {"tag-output": True}}))
        defaults = self.assert_fits("defaults", adarun("config", "--json").stdout)
        self.assertEqual([(each["option"], each["values"], each["command"]) for each in defaults],
                         [("tag-output", ["true"], "launch"), ("fanout", ["3"], "")])

    def test_of_the_version(self):
        version = self.assert_fits("version", adarun("version", "--json").stdout)
        self.assertEqual(f"adarun {version['version']}", adarun("version").stdout.splitlines()[0])
        self.assertEqual(adarun("version").stdout, adarun("--version").stdout)

    def test_of_a_job_that_runs_and_ends(self):
        detached = launch("-q", "--detach", "--name", "run7", "--", "sh", "-c", f"{LOSSES}; exec sleep 600")
        self.addCleanup(adarun, "stop", "--now")  # In case it is not stopped below.
        self.assertEqual(detached.returncode, 0, detached.stderr)
        status = self.assert_fits("status", adarun("status", "--json").stdout)
        self.assertEqual((status["name"], status["state"], len(status["ranks"])), ("run7", "running", 16))
        self.assert_fits("job", read("log_output/job.json"))
        self.assertEqual(self.assert_fits("ps", adarun("ps", "--json").stdout)[0]["name"], "run7")
        self.assertEqual(adarun("stop").returncode, 0)
        ended = self.assert_fits("status", adarun("status", "log_output", "--json").stdout)
        self.assertEqual(ended["state"], "interrupted")
        self.assertIn("status", self.assert_fits("ps", adarun("ps", "--json").stdout)[0])
        self.assertEqual(self.assert_fits("job", read("log_output/job.json"))["first_failure"]["kind"], "interrupted")

    def test_of_jobs_that_fail(self):
        for script, kind in ((f"{LOSSES}; test $RANK = 3 && exit 7; exec sleep 600", "rank_failed"),
                             ("test $RANK = 3 && kill -KILL $$; exec sleep 600", "rank_failed")):
            done = launch("-q", "--json", "--", "sh", "-c", script)
            end = self.assert_fits("job", done.stdout)
            self.assertEqual((end["first_failure"]["kind"], end["status"]), (kind, done.returncode))

    def test_of_a_job_of_several_programs(self):
        words = ("--role", "prefill=0-7", "--", "true", "--role", "decode=8-15", "--", "sh", "-c", "exit 7")
        end = self.assert_fits("job", launch("-q", "--json", *words).stdout)
        self.assertEqual([role["name"] for role in end["roles"]], ["prefill", "decode"])
        status = self.assert_fits("status", adarun("status", "log_output", "--json").stdout)
        self.assertEqual(status["ranks"][15]["role"], "decode")
        self.assert_fits("plan", launch("--dry-run", "--json", *words).stdout)
        policies = ("--role", "prefill=0-7:background,restarts=2", "--", "true", "--role", "decode=8-15:optional", "--", "true")
        self.assert_fits("plan", launch("--dry-run", "--json", *policies).stdout)
        self.assert_fits("spec", launch("--timeout", "9s", "--env", "A=1", "-q", "--print-spec", *policies).stdout)
        self.assert_fits("spec", launch("--print-spec", "--", "true").stdout)

    def test_of_losses(self):
        for folder in ("one", "two"):
            launch("-q", "--log-dir", folder, "--", "sh", "-c", f"{LOSSES}; echo 'epoch: 1 step: 4, loss is nan'").expect(0)
        one = self.assert_fits("monitor", adarun("monitor", "--json", "one").stdout)
        self.assertEqual(one["findings"][0]["fault"], "nan or inf")
        both = json.loads(adarun("monitor", "--json", "--compare", "one", "two").stdout)
        self.assertEqual(len([self.assert_fits("monitor", json.dumps(each))["run"] for each in both]), 2)
        os.mkdir("three")
        write("three/0.log", "epoch: 1 step: 1, loss is 0.5\n")
        self.assert_fits("monitor", adarun("monitor", "--json", "three").stdout)

    def test_of_a_plan_to_split_layers(self):
        done = adarun("plan", "--ranks", "4", "--model", "mlp", "--json")
        self.assertEqual(self.assert_fits("parallel-plan", done.stdout)["ranks"], 4)

    def test_of_a_check(self):
        done = adarun("check", "--hosts", "node[1-2]:2", "--json", "--", "/no/program").expect(1)
        self.assertIn("wrong", [each["verdict"] for each in self.assert_fits("check", done.stdout)])
        done = adarun("check", "--links", "--hosts", "node[1-2]:1,no.such.host.invalid:1", "--json")
        self.assertEqual(len(self.assert_fits("check-links", done.stdout)["links"]), 2)

    def test_of_rank_tables(self):
        super_pods("old", "initializing", [("a", "10.0.0.1", "1", "p"), ("b", "10.0.0.2", "2", "p"), ("c", "10.0.0.3", "3", "q")])
        super_pods("new", "completed", [("c", "10.0.0.9", "4", "p"), ("b", "10.0.0.2", "2", "p"), ("d", "10.0.0.4", "1", "q")])
        shown = self.assert_fits("show", adarun("ranktable", "show", "--json", "old").stdout)
        self.assertEqual(shown["ranks"][2]["super_pod_id"], "q")
        changed = self.assert_fits("diff", adarun("ranktable", "diff", "--json", "old", "new").stdout)
        self.assertEqual([name for name, changes in changed.items() if not changes], ["same"], "every kind of change is there")
        self.assertTrue(self.assert_fits("diff", adarun("ranktable", "diff", "--json", "old", "old").stdout)["same"])
        adarun("ranktable", "gen", "--plain", "--hosts", "node[1-2]:2", "-o", "plain")
        self.assertEqual(len(self.assert_fits("show", adarun("ranktable", "show", "--json", "plain").stdout)["ranks"]), 4)
        self.assertEqual(self.assert_fits("env", adarun("ranktable", "env", "--json", "plain", "--rank", 3).stdout)["rank"], 3)
        node = json.loads(adarun("ranktable", "env", "--json", "plain", "--node", 1).stdout)
        self.assertEqual([self.assert_fits("env", json.dumps(each))["rank"] for each in node], [2, 3])

    def test_of_server_groups(self):
        for name, prefill, decode in (("old", "0-1", "2-3"), ("new", "0-2", "3")):
            adarun("ranktable", "gen", "--plain", "--hosts", "node[1-2]:2", "--role", f"prefill={prefill}",
                   "--role", f"decode={decode}", "-o", name).expect(0)
        shown = self.assert_fits("show", adarun("ranktable", "show", "--json", "old").stdout)
        self.assertEqual([group["devices"] for group in shown["groups"]], [0, 2, 2])
        self.assertEqual([rank["group_rank"] for rank in shown["ranks"]], [0, 1, 0, 1])
        changed = self.assert_fits("diff", adarun("ranktable", "diff", "--json", "old", "new").stdout)
        self.assertEqual([(change["rank"], change["before"], change["after"]) for change in changed["groups"]], [(2, "2", "1")])
        self.assert_fits("env", adarun("ranktable", "env", "--json", "old", "--rank", 3).stdout)

    def test_of_data_sets(self):
        data("draw", "--format", "imagefolder", "--out", "set", "--train", "20", "--test", "10").expect(0)
        write(glob.glob("set/validation_preprocess/*/*")[0], "")
        for source, corrupt in ((("--dataset", "imagefolder", "--data-path", "set"), 1), (("--dataset", "digits"), 0)):
            done = data("inspect", "--json", *source)
            found = self.assert_fits("inspect", done.stdout)
            self.assertEqual((len(found["test"]["corrupt"]), done.returncode), (corrupt, corrupt))

    def test_there_is_no_other(self):
        names = {os.path.basename(path).partition(".")[0] for path in glob.glob(f"{SOURCE}/docs/*.schema.json")}
        self.assertEqual(names - set(HELD),
                         {"check", "check-links", "defaults", "diff", "env", "inspect", "job", "monitor", "parallel-plan", "ps", "show",
                          "spec", "status", "version"})
