#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How nodes are reached where the way is not plain."""
import contextlib
import json
import os
import signal
import socket
import subprocess
import threading
import unittest

from e2e import DEADLINE_S, Case, adarun_command, hosts, launch, lines_of, own_sshd

NO_KEYS = bytes([0, 0, 0, 5, 12, 0, 0, 0, 0])  # SSH_AGENT_IDENTITIES_ANSWER


@contextlib.contextmanager
def fake_ssh_agent(path, stuck):
    """An ssh-agent without keys that answers none of the first `stuck` connections; an event says that one has come."""
    called = threading.Event()
    kept = []

    def serve(server):
        with contextlib.suppress(OSError):
            while True:
                kept.append(server.accept()[0])
                called.set()
                if len(kept) > stuck and kept[-1].recv(4096):
                    kept[-1].sendall(NO_KEYS)

    with socket.socket(socket.AF_UNIX) as server:
        server.bind(path)
        server.listen()
        thread = threading.Thread(target=serve, args=[server])
        thread.start()
        try:
            yield called
        finally:
            server.shutdown(socket.SHUT_RDWR)
            thread.join()
            for connection in kept:
                connection.close()


class BusySshd(Case):
    def test_a_connection_that_it_drops_is_tried_again(self):
        nodes = "127.0.0.[2-9]"
        with own_sshd(self, "MaxStartups 2:100:2") as config:
            done = launch("--ssh-config", config, "--", "true", hosts=nodes)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_one_that_drops_all_is_named_when_the_time_to_connect_is_over(self):
        with own_sshd(self, "MaxStartups 1:100:1") as config, socket.create_connection(("10.77.0.1", 22)):
            done = launch("--ssh-config", config, "--connect-timeout", "1s", "--", "true", hosts="launcher")
        self.assertEqual(done.returncode, 125)
        self.assertRegex(done.stderr, r"launcher: no connection within 1 s: its sshd has hung up (once|\d+ times): .*MaxStartups")


class SshAgent(Case):
    def test_its_keys_are_taken(self):
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", "key"], check=True)
        env = {"SSH_AUTH_SOCK": "agent"}
        with subprocess.Popen(["ssh-agent", "-D", "-a", "agent"], stdout=subprocess.PIPE, text=True) as agent, \
                own_sshd(self, f"AuthorizedKeysFile {self.folder}/key.pub") as config:
            try:
                agent.stdout.readline()
                without = launch("--ssh-config", config, "--", "hostname", hosts="launcher", env=env)
                subprocess.run(["ssh-add", "-q", "key"], env={**os.environ, **env}, check=True)
                done = launch("--ssh-config", config, "--", "hostname", hosts="launcher", env=env)
            finally:
                agent.terminate()
        self.assertIn("no key of ours is accepted", without.stderr)
        self.assertEqual(done.stdout, "launcher\n", done.stderr)

    def test_one_that_does_not_answer_is_named_when_the_time_to_connect_is_over(self):
        with fake_ssh_agent("agent", stuck=2):
            done = launch("--connect-timeout", "1s", "--", "hostname", hosts=hosts(1), env={"SSH_AUTH_SOCK": "agent"})
        self.assertEqual(done.returncode, 125)
        for node in ("node1", "node2"):
            self.assertIn(f"{node}: no connection within 1 s: ssh-agent does not answer", done.stderr)

    def test_one_that_does_not_answer_for_one_node_holds_no_other_up(self):
        with fake_ssh_agent("agent", stuck=1):
            done = launch("--connect-timeout", "2s", "--", "hostname", hosts=hosts(1), env={"SSH_AUTH_SOCK": "agent"})
        self.assertEqual(done.returncode, 125)
        self.assertEqual(done.stderr.count("no connection within"), 1, done.stderr)
        events = [json.loads(line) for line in lines_of("log_output/events.jsonl")]
        self.assertEqual([event["event"] for event in events if event["event"] in ("connected", "lost")],
                         ["connected", "lost"])

    def test_one_that_does_not_answer_does_not_hold_up_an_interrupt(self):
        command = adarun_command("launch", "--connect-timeout", "1h", "--hosts", hosts(1), "--", "hostname")
        env = {**os.environ, "SSH_AUTH_SOCK": "agent"}
        with fake_ssh_agent("agent", stuck=2) as called, \
                subprocess.Popen(command, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, env=env) as job:
            try:
                self.assertTrue(called.wait(DEADLINE_S))
                job.send_signal(signal.SIGINT)
                words = job.communicate(timeout=DEADLINE_S)[1]
            finally:
                job.kill()
        self.assertEqual(job.returncode, 130, words)


class OwnMachine(Case):
    def test_the_others_are_told_an_address_of_node_0_that_they_can_reach(self):
        # The launcher's name leads to 127.0.0.1 in /etc/hosts.
        script = "echo $MASTER_ADDR $OMPI_MCA_btl_tcp_if_include"
        with own_sshd(self) as config:
            done = launch("--ssh-config", config, "--", "sh", "-c", script, hosts=hosts(1, "launcher", "node1"))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout, "10.77.0.1 10.77.0.0/30\n" * 2)


if __name__ == "__main__":
    unittest.main()
