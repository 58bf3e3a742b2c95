# SPDX-License-Identifier: Apache-2.0
"""Questions to all nodes: rank tables of a cluster, of the cards of every host, and the report of adarun check."""
import glob
import json
import os

from e2e import Case, adarun, adarun_command, hosts, read_json, run, write

# Card N of node I has address 10.1.I.N, except for what a test appends.
TOOL = """#!/bin/sh
host=$(hostname)
case $3 in -ip) ;; *) echo 'unknown option'; exit 1;; esac
%s
echo "ipaddr:10.1.${host#node}.$2"
echo netmask:255.255.0.0
"""


class Cluster(Case):
    def write_tool(self, special=""):
        write("tool", TOOL % special)
        os.chmod("tool", 0o700)

    def gen(self, where, *more):
        return adarun("ranktable", "gen", "--hosts", where, "--hccn-tool", os.path.join(self.folder, "tool"), *more)

    def servers(self, name):
        return read_json(name)["server_list"]

    def assert_refused(self, done, *messages):
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertEqual(done.stdout, "")
        for message in messages:
            self.assertIn(message, done.stderr)
        self.assertEqual([name for name in os.listdir(".") if name.endswith(".json")], [], "something was written")

    def test_one_table_of_all_hosts_that_can_be_launched(self):
        self.write_tool()
        self.gen(os.environ["ADARUN_TEST_HOSTFILE"]).expect(0, stdout="", stderr="adarun: wrote hccl_2s_16p.json\n")
        servers = self.servers("hccl_2s_16p.json")
        self.assertEqual([server["server_id"] for server in servers], ["10.77.0.2", "10.77.0.3"])
        ranks = [device["rank_id"] for server in servers for device in server["device"]]
        self.assertEqual(ranks, [str(rank) for rank in range(16)])
        self.assertEqual(servers[1]["device"][3], {"device_id": "3", "device_ip": "10.1.2.3", "rank_id": "11"})
        adarun("ranktable", "validate", "--profile", "hccl", "--generation", "910", "hccl_2s_16p.json").expect(0)
        launched = adarun("launch", "-r", "hccl_2s_16p.json", "--", "hostname")
        self.assertEqual(sorted(launched.stdout.split()), 8 * ["node1"] + 8 * ["node2"], launched.stderr)

    def test_unequal_hosts_in_the_order_wanted(self):
        self.write_tool()
        for order, wanted in (("given", ["node2", "node1"]), ("numeric", ["node1", "node2"])):
            self.gen("node2:4,node1:2", "--order", order, "--server-id", "name", "-o", order).expect(0)
            servers = self.servers(order)
            self.assertEqual([server["server_id"] for server in servers], wanted)
            self.assertEqual({server["server_id"]: len(server["device"]) for server in servers},
                             {"node1": 2, "node2": 4})

    def test_all_hosts_that_fail_are_named_and_nothing_is_written(self):
        self.write_tool('[ "$host $2" = "node2 1" ] && echo ipaddr:-.-.-.- && exit')
        done = self.gen("node1:4,10.77.9.9:4,node2:4,nowhere:4", "--connect-timeout", "1s")
        self.assert_refused(done, "adarun: 3 of 4 nodes failed; nothing was written\n",
                            "  10.77.9.9: ", "  nowhere: cannot resolve", f"  node2: {self.folder}/tool: card 1: has no address\n")
        self.assertNotIn("node1", done.stderr)

    def test_a_hung_tool_meets_its_deadline(self):
        self.write_tool('[ "$host $2" = "node2 1" ] && sleep 1000')
        done = self.gen("node1:4,node2:4", "--tool-timeout", "500ms")
        self.assert_refused(done, "adarun: 1 of 2 nodes failed; nothing was written\n",
                            f"  node2: {self.folder}/tool -i 1 -ip -g: has not ended within 500 ms\n")

    def test_a_host_with_another_agent_says_so(self):
        self.write_tool()
        done = self.gen("node1:4", "--agent", "/bin/true")
        self.assert_refused(done, "  node1: no agent answered: ", "/bin/true does not do: ")

    def test_stale_files_are_found_on_all_hosts(self):
        self.write_tool()
        write("hccn.conf", "address_0=10.1.1.0\n")
        done = self.gen("node[1-2]:1", "--compare", "--hccn-conf", os.path.join(self.folder, "hccn.conf")).expect(1)
        self.assertEqual([line.split() for line in done.stdout.splitlines()[1:]],
                         [["node1", "0", "10.1.1.0", "10.1.1.0", "same"],
                          ["node2", "0", "10.1.1.0", "10.1.2.0", "differ"]])

    def validate(self, *more):
        return adarun("ranktable", "validate", "table.json", "--hosts", "node[1-2]", "--hccn-tool",
                      os.path.join(self.folder, "tool"), "--hccn-conf", "/none", *more)

    def test_a_table_is_held_against_all_hosts(self):
        self.write_tool()
        self.gen("node[1-2]:4", "-o", "table.json")
        self.validate().expect(0)

        self.write_tool('[ "$host $2" = "node2 1" ] && echo ipaddr:10.9.9.9 && exit')
        stale = self.validate("-q").expect(1)
        self.assertIn('$.server_list[1].device[1].device_ip', stale.stdout)
        self.assertIn('node2: "10.1.2.1", where card 1 has 10.9.9.9', stale.stdout)

        elsewhere = self.validate("-q", "--path", "/no/table.json").expect(1)
        self.assertIn("node[1-2]: /no/table.json: No such file or directory", elsewhere.stdout)

    def test_a_table_that_misses_a_host_or_a_host_that_does_not_answer(self):
        self.write_tool()
        self.gen("node1:4", "-o", "table.json")
        more = self.validate("-q").expect(1)
        self.assertIn("node2: no server_id is 10.77.0.3", more.stdout)
        fewer = adarun("ranktable", "validate", "table.json", "--hosts", "node2")
        self.assertIn('"10.77.0.2", which none of them is', fewer.stdout)
        lost = adarun("ranktable", "validate", "table.json", "--json", "--hosts", "node1,nowhere").expect(3)
        findings = json.loads(lost.stdout)[0]["findings"]
        self.assertIn(("$", "every node must answer"), [(each["path"], each["rule"]) for each in findings])

    def test_a_host_whose_cards_are_not_listed_is_asked_for_them(self):
        self.write_tool("host=node9")
        script = ("mount -t tmpfs none /dev && mknod /dev/null c 1 3 && touch /dev/davinci1 /dev/davinci0 "
                  "/dev/davinci_manager && exec \"$@\"")
        gen = adarun_command("ranktable", "gen", "--via", "local", "--hosts", "10.77.0.1", "--hccn-tool",
                             os.path.join(self.folder, "tool"))
        done = run("unshare", "--mount", "sh", "-c", script, "sh", *gen)
        self.assertEqual((done.stdout, done.stderr), ("", "adarun: wrote hccl_1s_2p.json\n"))
        self.assertEqual([device["device_id"] for device in self.servers("hccl_1s_2p.json")[0]["device"]], ["0", "1"])

    def test_a_server_whose_name_does_not_resolve_takes_the_address_it_is_given(self):
        self.write_tool()
        gen = adarun_command("ranktable", "gen", "--device_num", "[0,1)", "--hccn-tool", "./tool")
        nameless = ["unshare", "--uts", "sh", "-c", 'hostname node77 && exec "$@"', "sh"]
        lost = run(*nameless, *gen).expect(3)
        self.assertIn("node77: cannot resolve this name: ", lost.stderr)
        write("hosts", "2001:db8::7 node77\n")
        script = 'hostname node77 && mount --bind hosts /etc/hosts && exec "$@"'
        six = run("unshare", "--uts", "--mount", "sh", "-c", script, "sh", *gen)
        self.assertEqual((six.stdout, six.stderr), ("", "adarun: wrote hccl_1p_0_2001:db8::7.json\n"))
        given = run(*nameless, *gen, "--server_ip", "10.0.0.2")
        self.assertEqual((given.stdout, given.stderr), ("", "adarun: wrote hccl_1p_0_10.0.0.2.json\n"))


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
