# SPDX-License-Identifier: Apache-2.0
"""Which settings of ~/.ssh/config adarun honours, tested against real sshds."""
import os
import subprocess
import threading

from e2e import Case, hosts, launch, lines_of, own_sshd, run, ssh_agent, write_lines


class Config(Case):
    def write_config(self, *lines, known=None):
        """Writes a configuration for the test hosts, and a file "known" with their keys."""
        write_lines("known", lines_of(os.environ["ADARUN_TEST_KNOWN_HOSTS"]) if known is None else known)
        write_lines("config", [*lines, "Host *", f"IdentityFile {os.environ['ADARUN_TEST_IDENTITY']}",
                               f"UserKnownHostsFile {self.folder}/known"])

    def launch(self, *arguments, to=None, env=None):
        return launch("--ssh-config", "config", *arguments, "--", "echo", "there", hosts=to or hosts(1), env=env)

    def key_of(self, name):
        return dict(line.split(" ", 1) for line in lines_of(os.environ["ADARUN_TEST_KNOWN_HOSTS"]))[name]


class HostKeys(Config):
    def test_an_alias_is_what_the_key_is_known_by(self):
        self.write_config("Host node1", "HostKeyAlias cluster-head", known=[f"cluster-head {self.key_of('node1')}"])
        self.assertEqual(self.launch(to="node1").returncode, 0)
        self.assertIn("node2: its host key is unknown", self.launch(to="node2").stderr)

    def test_accept_new_of_the_configuration_adds_each_key_once(self):
        self.write_config("StrictHostKeyChecking accept-new", known=[])
        self.launch().expect(0)
        self.assertEqual(sorted(lines_of("known")), [f"{node} {self.key_of(node)}" for node in ("node1", "node2")])
        self.assertEqual(self.launch("--host-key", "strict").returncode, 0)
        self.assertEqual(len(lines_of("known")), 2)

    def test_the_command_line_wins(self):
        self.write_config("StrictHostKeyChecking accept-new", known=[])
        self.assertIn("its host key is unknown", self.launch("--host-key", "strict").stderr)

    def test_checking_none_still_refuses_a_changed_key_and_says_so_once(self):
        self.write_config("StrictHostKeyChecking no", known=[f"node1 {self.key_of('node2')}"])
        done = self.launch().expect(125)
        self.assertIn("node1: its host key has changed", done.stderr)
        self.assertIn(f"{self.folder}/known:1", done.stderr)
        self.assertEqual(done.stderr.count("config:1: StrictHostKeyChecking no is taken for accept-new"), 1, done.stderr)

    def test_hashed_names_are_found(self):
        self.write_config()
        subprocess.run(["ssh-keygen", "-q", "-H", "-f", "known"], check=True, capture_output=True)
        self.assertNotIn("node1", "".join(lines_of("known")))
        self.assertEqual(self.launch().returncode, 0)

    def test_the_kind_of_key_that_is_known_is_asked_for(self):
        subprocess.run(["ssh-keygen", "-q", "-t", "ecdsa", "-N", "", "-f", "key"], check=True)
        with own_sshd(self, f"HostKey {self.folder}/key",
                      f"HostKey {os.environ['ADARUN_TEST_SCRATCH']}/node1.key"):
            self.write_config(known=["launcher " + " ".join(lines_of("key.pub")[0].split()[:2])])
            done = self.launch(to="launcher")
        self.assertEqual(done.stdout, "there\n", done.stderr)

    def test_a_file_that_takes_no_line_holds_no_other_node_up(self):
        # The known-hosts file is a FIFO. adarun reads it to its end; nobody reads from it when adarun writes to it.
        self.write_config("StrictHostKeyChecking accept-new")
        os.remove("known")
        os.mkfifo("known")
        writer = threading.Thread(target=write_lines, args=["known", [f"node2 {self.key_of('node2')}"]])
        writer.start()
        done = self.launch("--connect-timeout", "2s")
        writer.join()
        self.assertEqual(done.returncode, 125)
        self.assertIn(f"node1: no connection within 2 s: its host key cannot be written to {self.folder}/known", done.stderr)
        events = "".join(lines_of("log_output/events.jsonl"))
        self.assertIn('"connected"', events)


class Algorithms(Config):
    def test_lists_of_which_none_is_known_are_named_before_anything_is_connected_to(self):
        self.write_config("Host node1", "Ciphers foo")
        for option in ("--dry-run", "--connect-timeout=9s"):
            done = self.launch(option, to="node1")
            self.assertNotEqual(done.returncode, 0)
            self.assert_refused(done, done.returncode, 'config:2: Ciphers "foo": none of its algorithms is known here (libssh has: ')
            self.assertIn("--via openssh", done.stderr)
        launch("--via", "openssh", "--ssh-config", "config", "--dry-run", "--", "true", hosts="node1").expect(0)


class Keys(Config):
    def make_keys(self, *names):
        for name in names:
            subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", name], check=True)

    def test_keys_of_ssh_agent_that_the_configuration_names_are_offered_first(self):
        self.make_keys("decoy", "mine")
        options = (f"AuthorizedKeysFile {self.folder}/mine.pub", "MaxAuthTries 1")
        with ssh_agent("decoy", "mine") as env, own_sshd(self, *options) as base:
            os.remove("mine")  # ssh-agent holds it; mine.pub stays.
            rest = lines_of(base)[2:]
            for lines in ([f"IdentityFile {self.folder}/mine"], [f"IdentityFile {self.folder}/mine.pub"],
                          [f"IdentityFile {self.folder}/mine", "IdentitiesOnly true"]):
                write_lines("config", ["Host *", *lines, *rest])
                self.launch(to="launcher", env=env).expect(0, stdout="there\n", stderr="")

    def test_a_certificate_beside_a_key_logs_in_by_files_and_by_ssh_agent(self):
        self.make_keys("decoy", "mine", "ca")
        options = ("AuthorizedKeysFile none", f"TrustedUserCAKeys {self.folder}/ca.pub", "MaxAuthTries 2")
        with ssh_agent("mine") as plain, own_sshd(self, *options) as base:
            run("ssh-keygen", "-q", "-s", "ca", "-I", "me", "-n", "root", "mine.pub").expect(0)
            rest = [f"IdentityFile {self.folder}/mine", *lines_of(base)[2:]]
            os.rename("mine-cert.pub", "signed.pub")
            write_lines("config", ["Host *", f"IdentityFile {self.folder}/signed.pub", *rest])
            self.launch(to="launcher", env={"SSH_AUTH_SOCK": ""}).expect(0, stdout="there\n", stderr="")
            os.rename("signed.pub", "mine-cert.pub")
            for lines in (["PubkeyAcceptedAlgorithms +ssh-rsa"], []):
                write_lines("config", ["Host *", *lines, *rest])
                self.launch(to="launcher", env={"SSH_AUTH_SOCK": ""}).expect(0, stdout="there\n", stderr="")
            launch("--identity", "mine", "--ssh-config", base, "--", "true", hosts="launcher").expect(0)
            os.rename("mine", "away")
            self.launch(to="launcher", env=plain).expect(0, stdout="there\n", stderr="")
            os.rename("away", "mine")
            os.rename("agent", "plain")
            with ssh_agent("decoy", "mine") as env:
                for half in ("mine", "mine.pub"):
                    os.remove(half)
                    self.launch(to="launcher", env=env).expect(0, stdout="there\n", stderr="")

    def test_files_that_were_not_tried_are_not_said_to_be_and_what_is_wrong_is(self):
        self.make_keys("decoy", "mine")
        no_key = "there is no key to log in with"
        with ssh_agent("decoy") as agent, own_sshd(self) as base:
            for files, env, said in (
                    (["nosuch"], {}, f"{no_key}; {self.folder}/nosuch does not exist; add one by ssh-copy-id"),
                    (["nosuch", "decoy"], {}, f"(tried: {self.folder}/decoy); {self.folder}/nosuch does not exist; add one"),
                    (["mine.pub"], {}, f"{no_key}; {self.folder}/mine.pub is a public key, and no ssh-agent offers its private key;"),
                    (["mine.pub", "decoy.pub"], agent, f"(tried: {self.folder}/decoy.pub, those of ssh-agent); {self.folder}/mine.pub is"),
                    (["config"], agent, f"{no_key}; {self.folder}/config is no key; "),
                    ([""], agent, f"{no_key}; {self.folder}/ is a folder; ")):
                write_lines("config", ["Host *", "IdentitiesOnly yes", *(f"IdentityFile {self.folder}/{name}" for name in files),
                                       *lines_of(base)[2:]])
                done = self.launch(to="launcher", env={"SSH_AUTH_SOCK": "", **env}).expect(125)
                self.assertIn(said, done.stderr)

    def test_a_hang_up_during_the_login_is_said_at_once_with_its_reason(self):
        names = [f"decoy{number}" for number in range(4)]
        self.make_keys(*names)
        said = (r"^adarun: launcher: its sshd hung up during the login as root, after 3 keys: Too many authentication failures "
                r"\(its MaxAuthTries\?\); name the right key: IdentityFile with IdentitiesOnly yes in the ssh config, or "
                r"--identity FILE")
        files = [f"IdentityFile {self.folder}/{name}" for name in names]
        with ssh_agent(*names) as agent, own_sshd(self, "MaxAuthTries 3") as base:
            rest = lines_of(base)[2:]
            for env, lines in ((agent, ["IdentityFile none"]), ({"SSH_AUTH_SOCK": ""}, files), (agent, files)):
                write_lines("config", ["Host *", *lines, *rest])
                done = self.launch("--connect-timeout", "10m", to="launcher", env=env).expect(125, stdout="")
                self.assertRegex(done.stderr, said)

    def test_a_key_that_ssh_agent_has_offered_is_not_offered_again(self):
        self.make_keys("first", "mine")
        with ssh_agent("first") as env, own_sshd(self, f"AuthorizedKeysFile {self.folder}/mine.pub", "MaxAuthTries 2") as base:
            write_lines("config", ["Host *", f"IdentityFile {self.folder}/first", f"IdentityFile {self.folder}/mine",
                                   *lines_of(base)[2:]])
            self.launch(to="launcher", env=env).expect(0, stdout="there\n")

    def test_an_encrypted_key_is_named(self):
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "secret", "-f", "locked"], check=True)
        self.write_config()
        write_lines("config", [f"IdentityFile {self.folder}/locked", f"UserKnownHostsFile {self.folder}/known"])
        done = self.launch(to="node1").expect(125)
        self.assertIn(f"{self.folder}/locked needs a passphrase: ssh-add {self.folder}/locked", done.stderr)

    def test_an_sshd_that_takes_no_keys_is_named(self):
        with own_sshd(self, "PubkeyAuthentication no", "PasswordAuthentication yes") as config:
            done = launch("--ssh-config", config, "--", "true", hosts="launcher").expect(125)
        self.assertIn("its sshd takes no keys", done.stderr)

    def test_an_sshd_that_wants_more_than_a_key_is_named(self):
        with own_sshd(self, "AuthenticationMethods publickey,password", "PasswordAuthentication yes") as config:
            done = launch("--ssh-config", config, "--", "true", hosts="launcher").expect(125)
            self.make_keys("decoy")
            with ssh_agent(os.environ["ADARUN_TEST_IDENTITY"], "decoy") as env:
                offered = launch("--ssh-config", config, "-vv", "--", "true", hosts="launcher", env=env).expect(125)
        for each in (done, offered):
            self.assertIn("its sshd wants more than a key (AuthenticationMethods)", each.stderr)
        self.assertIn("launcher: link: 2 keys of ssh-agent: not enough\n", offered.stderr)

    def test_two_keys_that_an_sshd_wants_are_offered(self):
        self.make_keys("mine")
        own = os.environ["ADARUN_TEST_IDENTITY"]
        with own_sshd(self, "AuthenticationMethods publickey,publickey",
                      f"AuthorizedKeysFile {self.folder}/mine.pub {own}.pub") as config:
            write_lines("config", ["Host *", f"IdentityFile {self.folder}/mine", *lines_of(config)[1:]])
            self.launch(to="launcher").expect(0, stdout="there\n")


class Notes(Config):
    def test_what_is_not_followed_is_said_once(self):
        self.write_config("Host node*", "CertificateFile ~/.ssh/cert", "ServerAliveInterval 5", "ControlMaster auto")
        done = self.launch().expect(0)
        self.assertEqual(done.stderr, "adarun: config:2: CertificateFile is not followed\n")
        self.assertEqual(self.launch("-q").stderr, "")

    def test_a_dry_run_says_the_same(self):
        self.write_config("Match originalhost node1 exec true", "Port 2213", "Host *", "CertificateFile /none",
                          "StrictHostKeyChecking false")
        done = self.launch().expect(0)
        self.assertEqual(done.stderr.count("\n"), 3, done.stderr)
        for options in ([], ["--json"]):
            launch("--ssh-config", "config", "--dry-run", *options, "--", "true", hosts=hosts(1)).expect(0, stderr=done.stderr)
        launch("--ssh-config", "config", "--dry-run", "-q", "--", "true", hosts=hosts(1)).expect(0, stderr="")
        spared = launch("--ssh-config", "config", "--dry-run", "--spare", "node1", "--", "true", hosts="node2:1").expect(0)
        self.assertIn("Match originalhost node1 exec true", spared.stderr)

    def test_host_lines_are_compared_with_host_names_in_a_second_pass(self):
        self.write_config("Host n1", "HostName 127.0.5.1", "Match final all", "ServerAliveInterval 5", "Host 127.0.5.*",
                          "Port 2222", "User bob")
        done = launch("--ssh-config", "config", "--dry-run", "--", "true", hosts="n1:1").expect(0, stderr="")
        self.assertIn("ssh -p 2222 bob@127.0.5.1;", done.stdout)

    def test_a_proxy_command_is_refused_by_name(self):
        self.write_config("Host node1", "ProxyCommand nc %h %p")
        done = self.launch().expect(125)
        self.assertIn('config:2: ProxyCommand "nc %h %p": adarun runs no such command', done.stderr)
