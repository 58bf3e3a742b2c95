# SPDX-License-Identifier: Apache-2.0
"""--via with real commands: `ip netns exec` and `nsenter` into the test hosts, and OpenSSH's client to their sshds."""
import os
import re
import subprocess
import sys
import time
import unittest

from cutting import WRITER, CutCase, cut, end_sessions, mend
from e2e import (DEADLINE_S, Case, adarun, adarun_command, await_end, enter_host, hosts, launch, lines_of, node_sshd,
                 processes, read, read_bytes, ssh_agent, write_lines, write_program)

BIN = os.environ["ADARUN_TEST_BIN"]
NETNS = "exec:ip netns exec {host}"
PAGE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../docs/transports.md")


def key_files(name):
    """Makes a key pair in the current folder."""
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", name, "-f", name], check=True)


class Launch(Case):
    def test_ranks_run_where_the_command_goes(self):
        script = 'echo "$RANK_ID/$RANK_SIZE $DEVICE_ID $MASTER_ADDR $(ip -br -4 address show eth0)"'
        done = launch("--via", NETNS, "--", "sh", "-c", script, hosts="node1:2,node2:1").expect(0, stderr="")
        self.assertEqual([[*line.split()[:3], line.split()[-1]] for line in sorted(done.stdout.splitlines())],
                         [["0/3", "0", "10.77.0.2", "10.77.0.2/16"], ["1/3", "1", "10.77.0.2", "10.77.0.2/16"],
                          ["2/3", "0", "10.77.0.2", "10.77.0.3/16"]])

    def test_every_byte_comes_home(self):
        script = ["sh", "-c", "seq 100000; printf '\\0\\001\\377\\r\\n\\004\\032end'"]
        for via in (NETNS, "openssh"):
            done = subprocess.run(adarun_command("launch", "--via", via, "--hosts", hosts(1), "--", *script),
                                  stdin=subprocess.DEVNULL, capture_output=True, timeout=DEADLINE_S, check=False)
            self.assertEqual(done.returncode, 0, done.stderr)
            for rank in range(2):
                wanted = b"".join(b"%d\n" % i for i in range(1, 100001)) + b"\0\1\xff\r\n\4\32end"
                self.assertEqual(read_bytes(f"log_output/worker_{rank}.log"), wanted)

    @unittest.skipUnless(os.path.exists(f"{BIN}/mpi_hello"), "without MPI")
    def test_mpi_programs_find_each_other(self):
        for via in (NETNS, enter_host(), "openssh"):
            for program in ("mpi_hello", "mpich_hello"):
                if not os.path.exists(f"{BIN}/{program}"):
                    continue
                done = launch("--via", via, "--", f"{BIN}/{program}", hosts=hosts(2)).expect(0)
                self.assertEqual(sorted(done.stdout.splitlines()), [f"rank {i} of 4: sum 6" for i in range(4)])

    def test_files_are_staged(self):
        write_program("program", ["echo staged on $(hostname)"])
        there = os.path.join(os.environ["ADARUN_TEST_OWN"], "program")
        done = launch("--via", enter_host(), "--stage", f"program:{there}", "--", there, hosts=hosts(1))
        self.assertEqual((done.returncode, sorted(done.stdout.splitlines())), (0, ["staged on node1", "staged on node2"]),
                         done.stderr)

    def test_an_agent_is_brought_where_there_is_none(self):
        # The cache of each host is a folder of its own.
        cache = os.path.join(os.environ["ADARUN_TEST_OWN"], "cache")
        via = enter_host() + f" env XDG_CACHE_HOME={cache} unshare --mount sh -c 'mount -t tmpfs none \"$0\" && exec \"$@\"' {BIN}"
        for how in ("brought to", "found in"):
            done = launch("-v", "--via", via, "--", "hostname", hosts=hosts(1))
            self.assertEqual((done.returncode, sorted(done.stdout.split())), (0, ["node1", "node2"]), done.stderr)
            for node in ("node1", "node2"):
                self.assertRegex(done.stderr, rf"(?m)^adarun: {node}: connected after .*; {how} {cache}/adarun, as ")

    def test_a_dry_run_shows_the_command(self):
        via = ("--via", "exec:ssh -p{port} {user}@{host} exec {command}", "--dry-run", "--", "true")
        done = launch(*via, hosts="eve@node1:1,ada@node2:1").expect(0)
        self.assertIn("# node1: by ssh eve@node1 exec ...; agent ", done.stdout)
        self.assertIn("# node2: by ssh ada@node2 exec ...; agent ", done.stdout)
        done = launch(*via, hosts="node1:1,ada@node2:1")
        self.assertEqual((done.returncode, done.stderr),
                         (2, 'adarun: "{user}@{host}": node1 has not all of these; give --user, --port\n'))

    def test_a_name_that_only_the_nodes_know_is_an_address(self):
        write_program("on", ["shift", "exec ip netns exec node1 \"$@\""])
        done = launch("--via", f"exec:{self.folder}/on {{host}}", "--", "sh", "-c", "echo $MASTER_ADDR", hosts="trainer-0.pods.invalid")
        self.assertEqual((done.returncode, done.stdout), (0, "trainer-0.pods.invalid\n"), done.stderr)


class Commands(Case):
    """Every command that reaches nodes."""

    def test_help_shows_the_presets(self):
        for command in (["launch"], ["train"], ["check"], ["ranktable", "gen"], ["ranktable", "validate"], ["logs"]):
            done = adarun(*command, "--via", "help").expect(0, stderr="")
            for name in ("ssh", "slurm", "local", "kubectl", "docker", "podman", "openssh", "pbs", "lsf", "flux", "exec:WORDS"):
                self.assertRegex(done.stdout, rf"(?m)^{name}: ")
            self.assertIn("\n    exec:kubectl exec -i {host} --\n", done.stdout)
        rows = re.findall(r"(?m)^\| `(\w+)` \| .* \| `(.*)` \|$", read(PAGE))
        self.assertEqual(rows, re.findall(r"(?m)^(\w+): .*\n    exec:(.*)$", done.stdout))

    def test_check(self):
        done = adarun("check", "--via", enter_host(), "--hosts", hosts(1))
        self.assertRegex(done.stdout, r"reachable +all nodes: yes", done.stderr)
        self.assertIn("2 nodes: 0 wrong", done.stdout)

    def test_tables_are_made_and_compared(self):
        write_program("tool", ["host=$(hostname)", 'echo "ipaddr:10.1.${host#node}.$2"', "echo netmask:255.255.0.0"])
        tool = ["--hccn-tool", f"{self.folder}/tool", "--hccn-conf", "/none"]
        for via in (enter_host(), "openssh"):
            done = adarun("ranktable", "gen", "--via", via, "--hosts", hosts(2), "-o", "table.json", *tool[:2])
            self.assertEqual((done.returncode, done.stderr), (0, "adarun: wrote table.json\n"))
            adarun("ranktable", "validate", "table.json", "--via", via, "--hosts", "node[1-2]", *tool).expect(0)
            done = launch("--via", via, "-r", "table.json", "--", "hostname", hosts="node[1-2]")
            self.assertEqual(sorted(done.stdout.split()), ["node1", "node1", "node2", "node2"], done.stderr)

    def test_files_of_hosts_are_fetched(self):
        there = os.path.join(os.environ["ADARUN_TEST_OWN"], "log")
        launch("--via", enter_host(), "--", "sh", "-c", f"hostname >{there}", hosts=hosts(1))
        adarun("logs", "--via", enter_host(), "--hosts", "node[1-2]", "--path", there, "--collect", "home").expect(0)
        self.assertEqual([lines_of(f"home/{node}{there}") for node in ("node1", "node2")], [["node1"], ["node2"]])

    def test_a_node_joins(self):
        env = {"XDG_STATE_HOME": f"{self.folder}/state"}
        started = launch("--detach", "--via", NETNS, "--", "sleep", "600", hosts="node1:1", env=env).expect(0)
        done = adarun("resize", "--add", "node2:1", "--now", env=env)
        self.assertIn("node2 joins, and the job continues with 2 ranks on 2 nodes", done.stdout + done.stderr)
        wrong = adarun("resize", "--add", "node9:1", "--now", env=env)
        self.assertIn("node9: no agent answered: ip netns exec node9: Cannot open network namespace", wrong.stderr)
        self.assertEqual(adarun("stop", started.stdout.strip(), env=env).returncode, 0)


class Cut(CutCase):
    def test_sessions_that_sshd_ends_are_replaced_by_further_commands(self):
        with self.job(2, WRITER, "200000", self.folder, options=["--via", "openssh"]) as job:
            self.assert_three_cuts_lose_nothing(job, end_sessions)

    def test_a_pulled_cable_loses_nothing(self):
        with self.job(2, WRITER, "20000", self.folder, options=["--via", "openssh", "--lease", "60s"]) as job:
            with self.nobody_waits_for(job):
                cut("node2")
                self.addCleanup(mend, "node2")
                self.let_go()
                self.await_words(job, "node2: cut off")
                mend("node2")
                self.assertEqual(job.wait(DEADLINE_S), 0, self.words())
        self.assertIn("node2: found again", self.words())
        self.assert_logs_are_what_ranks_wrote(4)

    def test_a_detached_job_is_shown_whole_by_who_attaches(self):
        self.make_go()
        started = launch("--detach", "--via", "openssh", "--", sys.executable, "-c", WRITER, "20000", self.folder, hosts=hosts(2))
        self.assertEqual(started.returncode, 0, started.stderr)
        self.let_go()
        end_sessions()
        attached = adarun("attach", started.stdout.strip()).expect(0)
        printed = sorted(line for line in attached.stdout.splitlines() if not line.startswith("adarun: "))
        wrote = sorted(line for rank in range(4) for line in lines_of(f"wrote_{rank}"))
        self.assertTrue(printed == wrote, f"{len(printed)} lines printed, {len(wrote)} written")

    def test_what_was_printed_when_adarun_was_dead_is_called_for(self):
        for via in ("openssh", enter_host()):
            with self.job(2, WRITER, "20000", self.folder, options=["--via", via, "--lease", "3s"]) as job:
                job.kill()
                job.wait()
                self.let_go()
                self.await_agents_end()
            adarun("logs", "log_output", "--collect", "--via", via).expect(0)
            self.assert_logs_are_what_ranks_wrote(4)
            os.remove("go")

    def await_agents_end(self):
        end = time.monotonic() + DEADLINE_S
        while left := [pid for pid, words in processes().items() if "adarun-agent" in words.split()[0]]:
            await_end(left[0], end)


class OpenSsh(Case):
    def test_a_proxy_command_and_a_certificate(self):
        """node2 is reached through node1, with a key that only a certificate makes good."""
        key_files("authority")
        key_files("key")
        subprocess.run(["ssh-keygen", "-q", "-s", "authority", "-I", "test", "-n", "root", "-V", "+1h", "key.pub"], check=True)
        direct = os.environ["ADARUN_TEST_SSH_CONFIG"]
        write_lines("config", ["Host node*", "Port 2200", f"IdentityFile {self.folder}/key", "IdentitiesOnly yes",
                               f"CertificateFile {self.folder}/key-cert.pub", "StrictHostKeyChecking no",
                               "UserKnownHostsFile /dev/null", "LogLevel ERROR",
                               f"ProxyCommand ssh -F {direct} -W %h:%p node1"])
        options = ["Port 2200", "AuthorizedKeysFile none", f"TrustedUserCAKeys {self.folder}/authority.pub"]
        with node_sshd(self, "node1", "first", *options, "ListenAddress 10.77.0.2"), \
                node_sshd(self, "node2", "second", *options, "ListenAddress 10.77.0.3"):
            launch("--via", "openssh", "--ssh-config", f"{self.folder}/config", "--", f"{BIN}/mpi_hello"
                   if os.path.exists(f"{BIN}/mpi_hello") else "true", hosts=hosts(2)).expect(0)
            os.remove("key-cert.pub")
            done = launch("--via", "openssh", "--ssh-config", f"{self.folder}/config", "--", "true", hosts=hosts(2)).expect(125)
            self.assertRegex(done.stderr, r"^adarun: node\d: no agent answered: ssh -T .*: .*Permission denied \(publickey")

    def test_one_connection_serves_several_commands(self):
        """ControlMaster: the second job logs in to nobody."""
        control = f"{os.environ['ADARUN_TEST_SCRATCH']}/control"
        write_lines("config", [*lines_of(os.environ["ADARUN_TEST_SSH_CONFIG"]), "ControlMaster auto", f"ControlPath {control}-%h",
                               "ControlPersist yes"])
        try:
            for _ in range(2):
                done = launch("--via", "openssh", "--ssh-config", f"{self.folder}/config", "--", "hostname", hosts=hosts(1))
                self.assertEqual((done.returncode, sorted(done.stdout.split())), (0, ["node1", "node2"]), done.stderr)
        finally:
            for node in ("node1", "node2"):
                subprocess.run(["ssh", "-F", "config", "-O", "exit", node], check=True, capture_output=True)

    def test_a_key_of_ssh_agent(self):
        write_lines("config", [line for line in lines_of(os.environ["ADARUN_TEST_SSH_CONFIG"]) if "IdentityFile" not in line]
                    + ["IdentityFile none"])
        words = ("--via", "openssh", "--ssh-config", f"{self.folder}/config", "--", "hostname")
        self.assertEqual(launch(*words, hosts=hosts(1)).returncode, 125)
        with ssh_agent(os.environ["ADARUN_TEST_IDENTITY"]) as env:
            done = launch(*words, hosts=hosts(1), env=env)
        self.assertEqual((done.returncode, sorted(done.stdout.split())), (0, ["node1", "node2"]), done.stderr)

    def test_user_port_and_identity_are_passed_on(self):
        done = launch("--via", "openssh", "--user", "nobody", "--port", "2222", "--identity", "no-key", "--", "true", hosts="node1")
        self.assertEqual(done.returncode, 125)
        self.assertIn("ssh -T -oBatchMode=yes -ino-key -lnobody -p2222 -- node1 exec ...: ", done.stderr)
        self.assertIn("Connection refused", done.stderr)


class Refused(Case):
    def assert_refused(self, via, status, pattern, *options, where="node1"):
        done = launch("--via", via, *options, "--", "true", hosts=where).expect(status, stdout="")
        self.assertRegex(done.stderr.splitlines()[0], pattern)
        return done

    def test_lines_that_are_no_command(self):
        self.assert_refused("kube", 2, r'^adarun: --via: "kube": wanted ssh\|slurm\|local\|kubectl\|.*\|exec:WORDS\|help')
        self.assert_refused("exec:ip netns exec node1", 2, "host} is nowhere in it: every node would be the same")
        self.assert_refused("exec:ssh {host}", 2, "ssh hands its words to a shell: write {command} where the program is to stand")
        self.assert_refused("pbs", 2, "{PBS_JOBID}: this variable is not set")

    def test_hosts_that_could_be_options_or_text_of_a_shell(self):
        for where in ("-oProxyCommand=touch${IFS}hit:1", "node1;true:1"):
            launch("--via", "openssh", f"--hosts={where}", "--", "true").expect(2)
        write_lines("list", ["-oProxyCommand=x slots=1"])
        done = launch("--via", "openssh", "--", "true", hosts="list").expect(2)
        self.assertIn("-oProxyCommand", done.stderr)
        launch("--via", "openssh", "--user", "-oProxyCommand=x", "--", "true", hosts="node1").expect(2)

    def test_a_command_that_is_not_there(self):
        self.assert_refused("exec:no-such-command {host}", 125,
                            "^adarun: node1: no-such-command: cannot start it: No such file or directory$")

    def test_a_command_that_fails_at_once(self):
        self.assert_refused(NETNS, 125, '^adarun: node9: no agent answered: ip netns exec node9: Cannot open network namespace '
                            '"node9": No such file', where="node9")
        self.assert_refused("exec:sh -c 'exit 7' {host}", 125, "^adarun: node1: no agent answered: sh -c 'exit 7' node1: exit status 7$")

    def test_a_command_that_never_answers_or_asks_for_a_password(self):
        wait = ("--connect-timeout", "3s")
        self.assert_refused("exec:sh -c 'sleep 1000' {host}", 125,
                            "^adarun: node1: the agent did not answer within 3 s: no agent answered: sh -c 'sleep 1000' node1$", *wait)
        self.assert_refused("exec:sh -c 'printf Password:; read word' {host}", 125, r"did not answer within 3 s: .*; it printed: Password:$",
                            *wait)
        # It has no terminal to ask at.
        self.assert_refused("exec:sh -c 'printf Password: >/dev/tty' {host}", 125, "/dev/tty: No such device or address")

    def test_a_command_that_prints_without_end(self):
        self.assert_refused("exec:sh -c yes {host}", 125, "^adarun: node1: sh -c yes node1: it has printed more than 1 MiB, and no agent answers$")

    def test_what_is_printed_before_the_agent_answers(self):
        script = "echo Welcome to $0; echo careful >&2; exec ip netns exec $0 \"$@\""
        line = "adarun: node1: printed before its agent answered: Welcome to node1"
        for options in ((), ("-v",)):
            done = launch("--via", f"exec:sh -c '{script}' {{host}}", *options, "--", "echo", "hello", hosts="node1")
            self.assertEqual((done.returncode, done.stdout), (0, "hello\n"), done.stderr)
            self.assertEqual(line in done.stderr, bool(options), done.stderr)
        merged = f"exec:sh -c '{{ {script}; }} 2>&1' {{host}}"
        done = launch("--via", merged, "-v", "--", "echo", "hello", hosts="node1").expect(0, stdout="hello\n")
        self.assertIn("Welcome to node1 careful", done.stderr)

    def test_a_command_that_prints_while_the_agent_does(self):
        # The ranks wait for the line that the command prints.
        os.mkfifo("go")
        script = f"(read word <{self.folder}/go; echo careful) & exec ip netns exec $0 \"$@\""
        done = launch("--via", f"exec:sh -c '{script}' {{host}}", "--", "sh", "-c",
                      f"echo go >{self.folder}/go; exec sleep 1000", hosts="node1:1").expect(125)
        self.assertRegex(done.stderr, r"node1: the agent sent what is no frame of ours: .*; sh -c '.*' node1")

    def test_a_terminal_in_between(self):
        self.assert_refused("exec:ssh -tt {host} exec {command}", 125, r"^adarun: node1: .*CR LF.*terminal")
        add_cr = "ip netns exec $0 \"$@\" | sed -u s/$/\\\\r/"
        self.assert_refused(f"exec:sh -c '{add_cr}' {{host}}", 125,
                            "^adarun: node1: .*what the agent prints arrives altered, with CR LF at line ends: is a terminal in between")

    def test_a_command_that_passes_no_stdin_on(self):
        self.assert_refused("exec:ssh -n {host} exec {command}", 125, r"^adarun: node1: the agent hung up: ssh -n node1 exec \.\.\..* \(does it pass stdin on")
