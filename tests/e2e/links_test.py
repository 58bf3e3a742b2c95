# SPDX-License-Identifier: Apache-2.0
"""adarun check --links: links of test hosts, one of which sends slowly."""
import json
import os
import subprocess
import xml.etree.ElementTree

from e2e import Case, adarun, write

SLOW_MBIT = 20
MODEL = {"schema": "adarun-model-1", "model": "one", "image_channels": 3, "image_values": 64, "layers": [
    {"name": "fc", "kind": "dense", "inputs": [], "out_channels": 10, "out_values": 1, "result_values": 1,
     "kept_values": 0, "weights": 1920, "vectors": 10, "operations": 3840}]}


class Links(Case):
    def where(self, count):
        names = os.environ["ADARUN_TEST_HOSTS"].split(",")[:count]
        return ",".join(f"{name}:2" for name in names)

    def check(self, *arguments):
        done = adarun("check", "--links", *arguments)
        return done.returncode, done.stdout, done.stderr

    def measured(self, *arguments):
        status, out, error = self.check("--json", *arguments)
        self.assertIn(status, (0, 1), error)
        return status, json.loads(out)

    def hold_back(self, node):
        def tc(*words):
            subprocess.run(["ip", "netns", "exec", node, "tc", "qdisc", *words], check=True)
        tc("add", "dev", "eth0", "root", "tbf", "rate", f"{SLOW_MBIT}mbit", "burst", "16kb", "latency", "50ms")
        self.addCleanup(tc, "del", "dev", "eth0", "root")

    def test_measures_each_link_in_both_directions(self):
        status, report = self.measured("--hosts", self.where(4), "-o", "costs.json", "--plot", "links.svg")
        self.assertEqual(status, 0, report["findings"])
        pairs = {(link["from"], link["to"]) for link in report["links"] if link["bytes_per_s"] > 0}
        self.assertEqual(len(pairs), 12)
        self.assertEqual([level["name"] for level in report["levels"]], ["node", "cluster"])
        self.assertEqual(xml.etree.ElementTree.parse("links.svg").getroot().get("width"), "480")
        write("model.json", json.dumps(MODEL))
        plan = adarun("plan", "--ranks", "8", "--node-ranks", "2", "--costs", "costs.json", "--model", "model.json").expect(0)
        self.assertNotIn("not measured: links", plan.stdout)

    def test_names_the_node_that_sends_slowly(self):
        self.hold_back("node3")
        status, report = self.measured("--hosts", self.where(4))
        self.assertEqual(status, 0, report["findings"])
        slow = [link["bytes_per_s"] * 8 / 1e6 for link in report["links"] if link["from"] == "node3"]
        for rate in slow:
            self.assertLess(abs(rate - SLOW_MBIT), 0.4 * SLOW_MBIT, slow)
        texts = [finding["text"] for finding in report["findings"] if finding["nodes"] == ["node3"]]
        self.assertTrue(any(text.startswith("sends at 0.0") for text in texts), report["findings"])

    def test_measures_the_others_where_a_node_is_out_of_reach(self):
        status, report = self.measured("--hosts", self.where(3) + ",no.such.host.invalid:2")
        self.assertEqual(status, 1)
        self.assertEqual(len(report["links"]), 6)
        self.assertEqual([finding["nodes"] for finding in report["findings"] if finding["verdict"] == "wrong"],
                         [["no.such.host.invalid"]])

    def test_leaves_no_process_and_no_port(self):
        self.check("--hosts", self.where(2))
        for node in ("node1", "node2"):
            listening = subprocess.run(["ip", "netns", "exec", node, "ss", "-Hltn"], check=True, stdout=subprocess.PIPE,
                                       text=True).stdout.splitlines()
            self.assertEqual(len(listening), 1, "the port of sshd alone")

    def test_refuses_what_does_not_go_together(self):
        for arguments, problem in (
                (("--links", "--hosts", self.where(2), "--", "sh"), "--links: starts no program"),
                (("--hosts", self.where(2), "--plot", "a.svg"), "--plot: only with --links"),
                (("--hosts", self.where(2), "-o", "a.json"), "-o: only with --links"),
                (("--links", "--hosts", self.where(2), "--plot", "a.gif"), "wanted a name that ends in .svg or .png")):
            done = adarun("check", *arguments).expect(2)
            self.assertIn(problem, done.stderr)
