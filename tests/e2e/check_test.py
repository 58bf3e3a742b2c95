# SPDX-License-Identifier: Apache-2.0
"""adarun check: its report on nodes without and with problems."""
import glob
import json
import os
import unittest

from e2e import Case, adarun, hosts, write


class Check(Case):
    def check(self, where, *arguments):
        done = adarun("check", "--hosts", where, "--json", *arguments)
        return done.returncode, json.loads(done.stdout)

    def found(self, rows, verdict):
        return {(row["subject"], tuple(row["nodes"])) for row in rows if row["verdict"] == verdict}

    def test_finds_nothing_wrong_on_good_nodes(self):
        status, rows = self.check(hosts(1), "--", "sh")
        self.assertEqual(self.found(rows, "wrong"), set())
        self.assertEqual(status, 0)
        self.assertIn(("TCP", ("node1", "node2")), self.found(rows, "ok"))
        self.assertEqual([row["found"] for row in rows if row["subject"] == "program"], ["/usr/bin/sh"])

    def test_names_the_libraries_of_every_mpi(self):
        rows = self.check(hosts(1))[1]
        for library, version in (("libmpi", 40), ("libmpich", 12), ("libpmix", 2)):
            there = any(glob.glob(f"/usr/lib/*-linux-gnu/{library}.so.{version}"))
            found = [row["found"] for row in rows if row["subject"] == library]
            self.assertEqual(len(found), 1, rows)
            self.assertRegex(found[0], rf"^{library}\.so\.{version}\." if there else "^not found$")

    def test_names_every_node_that_is_out_of_reach_and_asks_the_others(self):
        write("hosts", "node1\nnode2 port=1\nno.such.host.invalid\n")
        status, rows = self.check("hosts", "--", "no-such-program")
        self.assertEqual(status, 1)
        wrong = self.found(rows, "wrong")
        self.assertIn(("reachable", ("node2",)), wrong)
        self.assertIn(("reachable", ("no.such.host.invalid",)), wrong)
        self.assertIn(("program", ("node1",)), wrong)
        self.assertIn(("reachable", ("node1",)), self.found(rows, "ok"))

    def test_tells_a_table_of_other_machines(self):
        adarun("ranktable", "gen", "--plain", "--server-ip", "10.1.2.3", "--device-num", "[0,1)", "-o", "table.json")
        write("map", "10.1.2.3 node1\n")
        done = adarun("check", "-r", "table.json", "--map", "map").expect(1)
        self.assertRegex(done.stdout, r"wrong +server_id +all nodes: 10.1.2.3 is no address of node1")

    def test_folds_nodes_for_people(self):
        done = adarun("check", "--hosts", hosts(1), "--workdir", os.path.join(self.folder, "nowhere")).expect(1)
        self.assertRegex(done.stdout, r"wrong +working folder +all nodes: .*nowhere is no folder that this user may enter \(make it")
        self.assertIn("2 nodes: 1 wrong", done.stdout)


if __name__ == "__main__":
    unittest.main()
