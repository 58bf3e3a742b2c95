# SPDX-License-Identifier: Apache-2.0
"""Nodes that are reached through other hosts (ProxyJump)."""
import json
import os
import signal
import subprocess

from cutting import children_of, end_sessions
from e2e import DEADLINE_S, Case, adarun, launch, lines_of, node_sshd, processes, read, start, write_lines

HIDDEN = "10.88.0"  # A network inside node1, without a route from the launcher.
JUMP_PORT = 2200


class Jump(Case):
    """node1 is the jump host, behind port 2200; further hosts are addresses of its own that only it can reach."""

    def setUp(self):
        super().setUp()
        self.addresses = [f"{HIDDEN}.{i}" for i in range(1, 7)]
        for address in self.addresses:
            subprocess.run(["ip", "-n", "node1", "addr", "add", f"{address}/32", "dev", "lo"], check=True)
            self.addCleanup(subprocess.run, ["ip", "-n", "node1", "addr", "del", f"{address}/32", "dev", "lo"], check=True)
        self.jump = self.enterContext(node_sshd(self, "node1", "jump", f"Port {JUMP_PORT}", "MaxSessions 0",
                                                "MaxStartups 1:100:1"))
        listen = [f"ListenAddress {address}" for address in self.addresses]
        self.hidden = self.enterContext(node_sshd(self, "node1", "hidden", *listen, "MaxStartups 2:100:2"))
        self.configure(f"node1:{JUMP_PORT}")

    def configure(self, jump, *more):
        """Writes an ssh configuration in which the hidden hosts are reached through `jump`."""
        names = ",".join([*self.addresses, f"[10.77.0.2]:{JUMP_PORT}", f"[node1]:{JUMP_PORT}", "node1"])
        key = " ".join(lines_of(f"{os.environ['ADARUN_TEST_SCRATCH']}/node1.key.pub")[0].split()[:2])
        write_lines("known", [f"{names} {key}"])
        write_lines("config", [*more, f"Host {HIDDEN}.*", f"ProxyJump {jump}", "Host *",
                               f"IdentityFile {os.environ['ADARUN_TEST_IDENTITY']}",
                               f"UserKnownHostsFile {self.folder}/known"])

    def logins(self, log):
        return sum("Accepted publickey" in line for line in lines_of(log))

    def launch(self, count, *arguments):
        """With a long lease: an agent that is not told the end would be left behind."""
        return launch("--ssh-config", "config", "--lease", "60s", *arguments, hosts=f"{HIDDEN}.[1-{count}]")

    def test_one_session_carries_all_nodes_behind_it(self):
        self.launch(6, "--", "sh", "-c", "echo $RANK; head -c 300000 /dev/zero | tr '\\0' x; echo").expect(0)
        for rank in range(6):
            self.assertEqual(self.log_of(rank), f"{rank}\n{'x' * 300000}\n")
        self.assertEqual(self.logins(self.jump), 1)
        self.assertEqual(self.logins(self.hidden), 6)

    def interrupt(self, disturb):
        """A job whose sessions of the jump host are disturbed while its ranks run: it costs nothing."""
        go = self.fifo()
        script = "exec 3<%s/go; echo up; read -r go <&3; head -c 300000 /dev/zero | tr '\\0' x; echo" % self.folder
        with open("stderr", "w+", encoding="utf-8") as words, \
                start("launch", "--hosts", f"{HIDDEN}.[1-3]", "--ssh-config", "config", "--lease", "60s", "--", "sh", "-c",
                      script, stderr=words) as job:
            for _ in range(3):
                self.assertEqual(job.stdout.readline(), "up\n")
            sshd = next(pid for pid, text in processes(sshd=True).items() if "jump.conf" in text)
            disturb(children_of(sshd))
            go.write(b"\n" * 3)
            job.stdout.read()
            words.seek(0)
            self.assertEqual(job.wait(DEADLINE_S), 0, words.read())
        for rank in range(3):
            self.assertEqual(self.log_of(rank), f"up\n{'x' * 300000}\n")
        self.assertEqual(read("stderr").count("found again, nothing was lost"), 3)

    def test_a_jump_host_that_hangs_up_in_mid_job_costs_nothing(self):
        self.interrupt(end_sessions)
        self.assertEqual(self.logins(self.jump), 2, "one session for all of them again")

    def test_a_session_of_a_jump_host_that_falls_silent_is_replaced(self):
        """As one does that a firewall on the way has forgotten."""
        def stop(pids):
            for pid in pids:
                os.kill(pid, signal.SIGSTOP)
                self.addCleanup(end_sessions, [pid])
        self.interrupt(stop)
        self.assertGreater(self.logins(self.jump), 1)

    def test_several_jump_hosts_are_gone_through_in_turn(self):
        self.configure(f"node1:{JUMP_PORT},{HIDDEN}.6", f"Host {HIDDEN}.6", "ProxyJump none")
        done = self.launch(2, "--", "echo", "through")
        self.assertEqual(done.stdout, "through\n" * 2, done.stderr)
        self.assertEqual(self.logins(self.jump), 1)
        self.assertEqual(self.logins(self.hidden), 3)

    def test_a_jump_host_is_reached_as_its_own_configuration_says(self):
        self.configure("inner", "Host inner", f"HostName {HIDDEN}.6", f"ProxyJump node1:{JUMP_PORT}")
        done = self.launch(2, "--", "echo", "through")
        self.assertEqual(done.stdout, "through\n" * 2, done.stderr)
        self.assertEqual(self.logins(self.jump), 1)

    def test_jump_hosts_that_lead_to_each_other_are_refused(self):
        self.configure("a", "Host a", "ProxyJump b", "Host b", "ProxyJump a")
        done = self.launch(1, "--", "true").expect(125)
        self.assertIn("jump hosts that lead to each other", done.stderr)

    def test_check_goes_through_it_and_says_what_is_wrong_of_it_once(self):
        done = adarun("check", "--ssh-config", "config", "--hosts", f"{HIDDEN}.[1-3]")
        self.assertIn("ok       reachable       all nodes", done.stdout, done.stderr)
        self.configure("node1:2299")
        done = adarun("check", "--ssh-config", "config", "--hosts", f"{HIDDEN}.[1-3]").expect(1)
        self.assertIn("wrong    reachable       all nodes: the jump host node1:2299: cannot connect to 10.77.0.2 port 2299: "
                      "Connection refused", done.stdout)
        self.assertEqual(done.stdout.count("jump host"), 1)

    def test_launch_says_once_what_is_wrong_of_it(self):
        self.configure("node1:2299")
        done = self.launch(3, "--", "true").expect(125)
        self.assertIn(f"adarun: {HIDDEN}.1,{HIDDEN}.2,{HIDDEN}.3: the jump host node1:2299: cannot connect to 10.77.0.2 port 2299: "
                      "Connection refused\n", done.stderr)
        self.assertEqual(done.stderr.count("jump host"), 1, done.stderr)

    def test_a_table_is_made_through_it(self):
        done = adarun("ranktable", "gen", "--plain", "--ssh-config", "config", "--hosts", f"{HIDDEN}.[1-2]:2", "-o", "-")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual([server["server_id"] for server in json.loads(done.stdout)["server_list"]],
                         [f"{HIDDEN}.1", f"{HIDDEN}.2"])

    def test_a_node_that_the_jump_host_cannot_reach_is_named(self):
        write_lines("hosts", [f"{HIDDEN}.1", f"{HIDDEN}.2 port=2299", f"{HIDDEN}.3"])
        done = adarun("check", "--ssh-config", "config", "--hosts", "@hosts")
        self.assertIn(f"wrong    reachable       {HIDDEN}.2: cannot connect to {HIDDEN}.2 port 2299, as seen from "
                      f"node1:{JUMP_PORT}: Connection refused", done.stdout)
        self.assertEqual(done.stdout.count("wrong    reachable"), 1, done.stdout)

    def test_a_node_that_does_not_answer_the_jump_host_is_named(self):
        nobody = ["10.88.1.1/32", "dev", "eth0"]  # A neighbour of node1 that does not exist.
        subprocess.run(["ip", "-n", "node1", "route", "add", *nobody], check=True)
        self.addCleanup(subprocess.run, ["ip", "-n", "node1", "route", "del", *nobody], check=True)
        self.configure(f"node1:{JUMP_PORT}", "Host 10.88.1.1", f"ProxyJump node1:{JUMP_PORT}")
        done = launch("--ssh-config", "config", "--connect-timeout", "2s", "--", "true", hosts="10.88.1.1").expect(125)
        self.assertIn(f"10.88.1.1: no connection within 2 s: 10.88.1.1 port 22 does not answer, as seen from node1:{JUMP_PORT} "
                      "(is the host up, is there a firewall?)\n", done.stderr)

    def test_an_unknown_host_key_of_the_jump_host_is_refused(self):
        self.configure(f"10.77.0.2:{JUMP_PORT}")
        write_lines("known", [line.replace(f"[10.77.0.2]:{JUMP_PORT},", "") for line in lines_of("known")])
        done = self.launch(2, "--", "true").expect(125)
        self.assertIn(f"the jump host 10.77.0.2:{JUMP_PORT}: its host key is unknown", done.stderr)

    def test_the_name_of_a_jump_host_that_does_not_resolve_is_said(self):
        self.configure("no.such.host.invalid")
        done = self.launch(2, "--", "true").expect(125)
        self.assertEqual(done.stderr.count("no.such.host.invalid"), 1, done.stderr)
