#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests with_hosts with the OpenSSH client: reachable hosts, the status of the command, nothing left behind."""
import os
import signal
import subprocess
import sys
import unittest
import uuid

WITH_HOSTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "with_hosts")


def with_hosts(*options, script):
    """Runs a shell script beside test hosts."""
    command = [WITH_HOSTS, *options, "--", "sh", "-c", script]
    return subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60, check=False)


def processes_with(marker):
    """The ids of processes of this machine, in any namespace, that have `marker` among their arguments."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/cmdline", "rb") as file:
                arguments = file.read().split(b"\0")
        except OSError:
            continue
        if marker.encode() in arguments:
            found.append(int(pid))
    return found


class Hosts(unittest.TestCase):
    def test_each_host_answers_under_its_own_name(self):
        done = with_hosts("3", script='for host in node1 node2 10.77.0.4; do ssh "$host" hostname; done; hostname')
        self.assertEqual(done.stdout.split(), ["node1", "node2", "node3", "launcher"], done.stderr)

    def test_hosts_reach_each_other(self):
        script = 'ssh node1 "ssh 10.77.0.3 hostname"'
        self.assertEqual(with_hosts("2", script=script).stdout.split(), ["node2"])

    def test_a_key_that_is_not_known_is_refused(self):
        script = 'ssh -o UserKnownHostsFile=/dev/null node1 hostname'
        done = with_hosts("1", script=script)
        self.assertEqual(done.returncode, 255)
        self.assertIn("Host key verification failed", done.stderr)

    def test_a_host_can_be_cut_off(self):
        script = "ip -n node1 link set eth0 down; ssh -o ConnectTimeout=1 node1 hostname; ssh node2 hostname"
        self.assertEqual(with_hosts("2", script=script).stdout.split(), ["node2"])

    def test_says_which_hosts_there_are(self):
        done = with_hosts("2", "--slots", "3", script='cat "$ADARUN_TEST_HOSTFILE"; echo "$ADARUN_TEST_HOSTS"')
        self.assertEqual(done.stdout, "node1 slots=3\nnode2 slots=3\nnode1,node2\n")

    def test_gives_back_the_command_s_status(self):
        self.assertEqual(with_hosts("1", script="exit 7").returncode, 7)
        self.assertEqual(with_hosts("1", script="kill -9 $$").returncode, 128 + 9)

    def test_two_runs_at_once_do_not_meet(self):
        inner = f'"{WITH_HOSTS}" 1 -- ssh node1 echo inner && ssh node1 echo outer'
        self.assertEqual(with_hosts("1", script=inner).stdout.split(), ["inner", "outer"])

    def test_a_user_that_is_added_on_the_machine_meanwhile_changes_nothing(self):
        """The tool that adds it renames a file over /etc/passwd; here in an /etc of the test's own."""
        inner = f'"{WITH_HOSTS}" 1 -- sh -c \'echo up >&3; read -r line <&4; echo ~root; ssh node1 "echo ~root"\''
        script = ("mount -t tmpfs run /run && cp -a /etc /run/ && mount --bind /run/etc /etc && mkfifo /run/up /run/go && "
                  f"exec 3<>/run/up 4<>/run/go && {{ {inner} & }} && read -r line <&3 && "
                  "cp -p /etc/passwd /etc/passwd+ && mv /etc/passwd+ /etc/passwd && echo >&4; wait")
        done = subprocess.run(["unshare", "--mount", "bash", "-c", script], stdin=subprocess.DEVNULL, capture_output=True,
                              text=True, timeout=60, check=False)
        self.assertEqual(done.stdout.split(), ["/run/adarun-hosts/home"] * 2, done.stderr)

    def test_ends_what_the_command_left_on_a_host(self):
        marker = str(uuid.uuid4())
        script = f"ssh node1 'setsid tail -f /dev/null {marker} >/dev/null 2>&1 & echo started'"
        done = with_hosts("1", script=script)
        self.assertEqual(done.stdout.split(), ["started"], done.stderr)
        self.assertEqual(processes_with(marker), [])

    def test_ends_everything_when_it_is_killed(self):
        marker = str(uuid.uuid4())
        script = f"echo up; exec tail -f /dev/null {marker} 2>/dev/null"
        command = [WITH_HOSTS, "1", "--", "sh", "-c", script]
        with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True) as running:
            self.assertEqual(running.stdout.readline(), "up\n")
            running.send_signal(signal.SIGKILL)
            # The pipe closes when with_hosts, its command and its hosts, which all hold it, have ended.
            running.communicate(timeout=60)
        self.assertEqual(processes_with(marker), [])


class Loopback(unittest.TestCase):
    def test_addresses_of_loopback_serve_as_hosts(self):
        script = 'for host in 127.0.1.1 127.0.1.2; do ssh -F "$ADARUN_TEST_SSH_CONFIG" "$host" echo "$host"; done'
        done = with_hosts("2", "--loopback", script=script)
        self.assertEqual(done.stdout.split(), ["127.0.1.1", "127.0.1.2"], done.stderr)

    def test_the_scratch_folder_goes_away(self):
        done = with_hosts("1", "--loopback", script='echo "$ADARUN_TEST_SCRATCH"')
        self.assertTrue(done.stdout.startswith("/"), done.stderr)
        self.assertFalse(os.path.exists(done.stdout.strip()))


if __name__ == "__main__":
    # Usage: hosts_test.py Hosts|Loopback. Exit status 77: this machine cannot make such hosts.
    options = ["--loopback"] if sys.argv[1:] == ["Loopback"] else []
    probe = with_hosts("1", *options, script="true")
    if probe.returncode == 77:
        print(probe.stderr, end="")
        sys.exit(77)
    unittest.main()
