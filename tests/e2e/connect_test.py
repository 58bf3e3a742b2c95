# SPDX-License-Identifier: Apache-2.0
"""Connecting to nodes when something is in the way: a busy sshd, a stuck ssh-agent, breaking connections."""
import contextlib
import itertools
import json
import os
import signal
import socket
import subprocess
import threading

from e2e import (DEADLINE_S, Case, adarun, events, hosts, launch, lines_of, node_sshd, own_sshd, run, ssh_agent, start,
                 write_lines)

NO_KEYS = bytes([0, 0, 0, 5, 12, 0, 0, 0, 0])  # SSH_AGENT_IDENTITIES_ANSWER


@contextlib.contextmanager
def fake_ssh_agent(path, stuck):
    """An ssh-agent without keys that does not answer the first `stuck` connections; the event is set at the first one."""
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
            launch("--ssh-config", config, "--", "true", hosts=nodes).expect(0)

    def test_one_that_drops_all_is_named_when_the_time_to_connect_is_over(self):
        with own_sshd(self, "MaxStartups 1:100:1") as config, socket.create_connection(("10.77.0.1", 22)):
            done = launch("--ssh-config", config, "--connect-timeout", "1s", "--", "true", hosts="launcher").expect(125)
        self.assertRegex(done.stderr, r"launcher: no connection within 1 s: its sshd has hung up (once|\d+ times): .*MaxStartups")


@contextlib.contextmanager
def breaking_off(server, breaks):
    """A port of 127.0.0.9 that forwards to `server`; the first `breaks` connections only get a banner and are closed."""
    def carry(source, target):
        with contextlib.suppress(OSError):
            while data := source.recv(65536):
                target.sendall(data)
            target.shutdown(socket.SHUT_WR)

    def serve(listener):
        with contextlib.suppress(OSError):
            for count in itertools.count():
                caller = listener.accept()[0]
                callers.append(caller)
                if count < breaks:
                    caller.sendall(b"SSH-2.0-Unsteady\r\n")
                    caller.recv(16)
                    caller.close()
                    continue
                callers.append(socket.create_connection(server))
                for pair in ((caller, callers[-1]), (callers[-1], caller)):
                    threads.append(threading.Thread(target=carry, args=pair))
                    threads[-1].start()

    callers, threads = [], []
    with socket.create_server(("127.0.0.9", 0)) as listener:
        threads.append(threading.Thread(target=serve, args=[listener]))
        threads[0].start()
        try:
            yield listener.getsockname()[1]
        finally:
            listener.shutdown(socket.SHUT_RDWR)
            for caller in callers:
                with contextlib.suppress(OSError):
                    caller.shutdown(socket.SHUT_RDWR)
            for thread in threads:
                thread.join()
            for caller in callers:
                caller.close()


class UnsteadySshd(Case):
    def launch(self, port, *arguments):
        write_lines("config", ["HostName 127.0.0.9", f"Port {port}", "HostKeyAlias node1",
                               f"IdentityFile {os.environ['ADARUN_TEST_IDENTITY']}",
                               f"UserKnownHostsFile {os.environ['ADARUN_TEST_KNOWN_HOSTS']}"])
        return launch("--ssh-config", "config", *arguments, "--", "echo", "there", hosts="unsteady")

    def test_one_that_hangs_up_in_the_key_exchange_is_tried_again(self):
        with breaking_off(("10.77.0.2", 22), breaks=2) as port:
            done = self.launch(port)
        self.assertEqual(done.stdout, "there\n", done.stderr)

    def test_one_that_always_does_is_named_when_the_time_to_connect_is_over(self):
        with breaking_off(("10.77.0.2", 22), breaks=1000) as port:
            done = self.launch(port, "--connect-timeout", "1s").expect(125)
        self.assertRegex(done.stderr, r"no connection within 1 s: its sshd has hung up .*in the key exchange")


class LoginShell(Case):
    def test_one_that_does_not_run_the_command_is_named(self):
        self.fifo("input")
        bashrc = os.path.join(os.environ["HOME"], ".bashrc")
        write_lines(bashrc, ["echo Welcome", f"read -r line <{self.folder}/input"])
        self.addCleanup(os.remove, bashrc)
        for command in (("launch", "--hosts", "node1", "--connect-timeout", "1s", "true"),
                        ("check", "--hosts", "node1", "--connect-timeout", "1s")):
            done = adarun(*command)
            self.assertRegex(done.stdout + done.stderr,
                             r"the agent did not answer within 1 s: the login shell of root has run for [\d.]+ m?s and not "
                             r"started it \(what do its start-up files wait for\?\); it printed: Welcome")
        write_lines(bashrc, ["echo This account is closed.", "exit 1"])
        self.assertRegex(launch("true", hosts="node1").expect(125).stderr,
                         "no agent answered: the login shell of root ended before it started the agent; (exit status 1; )?"
                         "it printed: This account is closed.")


class IPv6(Case):
    def setUp(self):
        super().setUp()
        for command in (["ip", "addr", "add", "fd77::1/64", "dev", "br0", "nodad"],
                        ["ip", "-n", "node1", "addr", "add", "fd77::2/64", "dev", "eth0", "nodad"]):
            subprocess.run(command, check=True)
            self.addCleanup(subprocess.run, [word.replace("add", "del") if word == "add" else word
                                             for word in command if word != "nodad"], check=True)
        key = " ".join(lines_of(f"{os.environ['ADARUN_TEST_SCRATCH']}/node1.key.pub")[0].split()[:2])
        write_lines("known", [f"fd77::2,::1,node1-6,{self.link_local()}%br0 {key}",
                              f"[fd77::2]:2206 {key}"])
        write_lines("config", ["Host node1-6", "HostName fd77::2", "Host *",
                               f"IdentityFile {os.environ['ADARUN_TEST_IDENTITY']}", f"UserKnownHostsFile {self.folder}/known"])

    def link_local(self):
        shown = subprocess.run(["ip", "-n", "node1", "-j", "-6", "addr", "show", "dev", "eth0", "scope", "link"],
                               stdout=subprocess.PIPE, check=True).stdout
        return next(item["local"] for link in json.loads(shown) for item in link.get("addr_info", []) if "local" in item)

    def launch(self, to):
        return launch("--ssh-config", "config", "--", "echo", "there", hosts=to)

    def test_addresses_are_taken_in_lists_hostfiles_and_the_configuration(self):
        write_lines("hostfile", ["[fd77::2] slots=1 port=2206"])
        with node_sshd(self, "node1", "v6", "ListenAddress ::", "AddressFamily inet6"), \
                node_sshd(self, "node1", "v6-port", "ListenAddress ::", "AddressFamily inet6", "Port 2206"):
            for to in ("[fd77::2]:2", "fd77::2", "root@[fd77::2]:1", "@hostfile", "node1-6",
                       f"[{self.link_local()}%br0]:1"):
                done = self.launch(to)
                self.assertEqual(set(done.stdout.splitlines()), {"there"}, f"{to}: {done.stderr}")

    def test_loopback_is_taken_and_check_names_it(self):
        with own_sshd(self, "ListenAddress ::1", "AddressFamily inet6"):
            self.assertEqual(self.launch("[::1]:2").stdout, "there\n" * 2)
            done = adarun("check", "--ssh-config", "config", "--hosts", "::1")
        self.assertIn("ok       reachable", done.stdout)

    def test_a_node_that_does_not_answer_is_named(self):
        self.assertRegex(self.launch("[fd77::2]:1").stderr, r"fd77::2: cannot connect to fd77::2 port 22: Connection refused")


class SshAgent(Case):
    def test_its_keys_are_taken(self):
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", "key"], check=True)
        with ssh_agent() as env, own_sshd(self, f"AuthorizedKeysFile {self.folder}/key.pub") as config:
            without = launch("--ssh-config", config, "--", "hostname", hosts="launcher", env=env)
            run("ssh-add", "-q", "key", env=env).expect(0)
            done = launch("--ssh-config", config, "--", "hostname", hosts="launcher", env=env)
        self.assertIn("no key of ours is accepted", without.stderr)
        self.assertEqual(done.stdout, "launcher\n", done.stderr)

    def test_one_that_does_not_answer_is_named_when_the_time_to_connect_is_over(self):
        with fake_ssh_agent("agent", stuck=2):
            done = launch("--connect-timeout", "1s", "--", "hostname", hosts=hosts(1), env={"SSH_AUTH_SOCK": "agent"}).expect(125)
        self.assertIn("node[1-2]: no connection within 1 s: ssh-agent does not answer", done.stderr)

    def test_one_that_does_not_answer_for_one_node_holds_no_other_up(self):
        with fake_ssh_agent("agent", stuck=1):
            done = launch("--connect-timeout", "2s", "--", "hostname", hosts=hosts(1), env={"SSH_AUTH_SOCK": "agent"}).expect(125)
        self.assertEqual(done.stderr.count("no connection within"), 1, done.stderr)
        self.assertEqual([event["event"] for event in events() if event["event"] in ("connected", "lost")],
                         ["connected", "lost"])

    def test_one_that_does_not_answer_does_not_hold_up_an_interrupt(self):
        with fake_ssh_agent("agent", stuck=2) as called, \
                start("launch", "--connect-timeout", "1h", "--hosts", hosts(1), "--", "hostname", stdout=None,
                      env={"SSH_AUTH_SOCK": "agent"}) as job:
            self.assertTrue(called.wait(DEADLINE_S))
            job.send_signal(signal.SIGINT)
            words = job.communicate(timeout=DEADLINE_S)[1]
        self.assertEqual(job.returncode, 130, words)


class OwnMachine(Case):
    def test_the_others_are_told_an_address_of_node_0_that_they_can_reach(self):
        # /etc/hosts maps the launcher's name to 127.0.0.1.
        script = "echo $MASTER_ADDR $OMPI_MCA_btl_tcp_if_include $GLOO_SOCKET_IFNAME"
        with own_sshd(self) as config:
            done = launch("--ssh-config", config, "--", "sh", "-c", script, hosts=hosts(1, "launcher", "node1")).expect(0)
        self.assertEqual(sorted(done.stdout.splitlines()),
                         ["10.77.0.1 10.77.0.0/16 br0", "10.77.0.1 10.77.0.0/16 eth0"])
