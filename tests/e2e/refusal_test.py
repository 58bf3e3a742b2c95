# SPDX-License-Identifier: Apache-2.0
"""What adarun refuses: worlds that AdaSum does not support, before any connection; untrusted hosts; bad arguments."""
import os
import socket

from e2e import Case, adarun, hosts, launch, read, write

RULE = "The device_num must be at least 16 and must be the power of 2 when applying adasum."


class Listener:
    """A listening port that records whether a client connected."""

    def __enter__(self):
        self.socket = socket.create_server(("10.77.0.1", 0))
        self.socket.setblocking(False)
        return self

    def __exit__(self, *_):
        self.socket.close()

    def port(self):
        return self.socket.getsockname()[1]

    def had_a_caller(self):
        try:
            self.socket.accept()[0].close()
        except BlockingIOError:
            return False
        return True


class Refusal(Case):
    def test_words_behind_the_dashes_are_refused_where_they_mean_nothing(self):
        for command in (["logs", "log_output"], ["monitor", "log_output"], ["ranktable", "validate", "t.json"]):
            done = adarun(*command, "--", "more").expect(2)
            self.assertIn("takes nothing behind --, found more", done.stderr)

    def test_without_an_sshd_here_it_is_said_how_to_do_without(self):
        done = adarun("launch", "--hosts", "localhost:2", "--port", "9", "--", "true").expect(125)
        self.assertTrue(done.stderr.endswith("adarun: ranks on this machine need no SSH: -n N without hosts, or --via local\n"))

    def test_a_job_without_a_name_is_not_the_newest_one(self):
        for command in ("stop", "status", "attach", "logs", "monitor"):
            done = adarun(command, "")
            self.assertEqual(done.returncode, 2, command)
            self.assertIn("names no job (a variable that is not set?)", done.stderr)

    def test_an_empty_word_is_refused_wherever_it_stands(self):
        for words in (["script", "node", "--hosts", "a:1", "--", ""], ["check", "--via", "local", "--hosts", "a", "--", ""],
                      ["launch", "-n", "2", "--role", "a=0", "--", "true", "--role", "b=1", "--", ""],
                      ["launch", "--hosts", "", "-n", "2", "--", "true"], ["train", "--hosts", "", "-n", "2"],
                      ["launch", "--log-dir", "", "-n", "2", "--", "true"], ["ranktable", "validate", "--hosts", "", "t.json"],
                      ["ranktable", "validate", "--hosts=", "t.json"], ["ranktable", "validate", ""]):
            self.assertIn("is an empty word (a variable that is not set?)", adarun(*words).expect(2).stderr)

    def test_an_unknown_option_is_named_and_not_its_value(self):
        done = adarun("launch", "--nosuch", "x", "--", "true").expect(2)
        self.assertIn("--nosuch: launch has no such option", done.stderr)

    def test_variables_beside_an_inventory_are_not_passed_over_without_a_word(self):
        os.makedirs("group_vars")
        for name, text in (("i.ini", "[gpu]\na\n"), ("group_vars/gpu.yml", "ansible_user: me\n")):
            with open(name, "w") as file:
                file.write(text)
        done = adarun("launch", "--dry-run", "--hosts", "i.ini:gpu", "--", "true").expect(0)
        self.assertIn("group_vars/gpu.yml: ansible_user: not read; wanted it in the inventory itself", done.stderr)

    def test_a_hostfile_that_nobody_writes_to_is_given_up(self):
        os.mkfifo("hosts")
        done = adarun("launch", "--hosts", "./hosts", "--", "true").expect(2)
        self.assertIn("cannot read this hostfile: ./hosts: given up: nobody writes anything to it", done.stderr)

    def test_a_home_that_is_not_there_is_not_made(self):
        home = os.path.abspath("home")
        adarun("launch", "--via", "local", "--hosts", "localhost", "--", "true",
               env={"HOME": home, "XDG_STATE_HOME": ""}).expect(0)
        self.assertFalse(os.path.exists(home))

    def test_adasum_refuses_12_and_8_devices_before_any_connection(self):
        for slots in (6, 4):
            with self.subTest(devices=2 * slots), Listener() as listener:
                where = ["--hosts", hosts(slots, "10.77.0.1", "127.0.0.1"), "--port", listener.port()]
                for command in (["launch", *where, "--adasum", "--", "hostname"], ["train", *where]):
                    done = adarun(*command).expect(1)
                    self.assertIn(RULE, done.stderr)
                    self.assertFalse(listener.had_a_caller())

    def test_train_holds_ranks_to_adasums_rule_only_where_they_combine(self):
        for where, options, status in (("node1:1", [], 0), ("node[1-2]:4", ["--parallel-mode", "stand_alone"], 0),
                                       ("node1:1", ["--reduce", "adasum"], 1), ("node[1-2]:4", [], 1)):
            done = adarun("train", "--hosts", where, "--dry-run", "--", *options).expect(status)
            self.assertEqual(RULE in done.stderr, status == 1, done.stderr)

    def test_adasums_rule_comes_with_what_to_add_or_to_leave_out(self):
        adarun("ranktable", "gen", "-q", "--plain", "--hosts", "node[1-2]:4", "-o", "table.json").expect(0)
        add, leave = "to train all the same, add --adasum-world any\n", "to run all the same, leave --adasum out\n"
        for words, end in ((["train", "--hosts", "node1:8"], add), (["train", "--hosts", "node1:12"], add), (["train", "-r", "table.json"], add),
                           (["train", "-n", "8"], add), (["train", "-n", "1", "--", "--reduce", "adasum"], add),
                           (["train", "--adasum", "-n", "8"], add), (["launch", "--adasum", "-n", "8", "--", "true"], leave),
                           (["launch", "--adasum", "-r", "table.json", "--", "true"], leave)):
            said = adarun(words[0], "--dry-run", *words[1:]).expect(1).stderr
            self.assertRegex(said, rf"^adarun: {RULE}\nadarun: \S+ has \d+ devices?; nothing was started; {end}$")
        adarun("train", "--dry-run", "--adasum", "-n", "8", "--adasum-world", "any").expect(0)
        done = adarun("train", "-n", "2", "--", "--preset", "boost-adasum-resnet50-imagenet", "--dataset", "digits")
        self.assertIn(f"{RULE} To train with 2 ranks all the same, add --adasum-world any.\n", done.stderr)

    def test_a_lease_too_short_to_be_kept_is_wrong_usage(self):
        for lease in ("999ms", "0.5", "1ms"):
            done = launch("--lease", lease, "--dry-run", "--", "hostname").expect(2)
            self.assertIn(f'--lease: "{lease}": wanted at least 1 s (adarun launch --help)\n', done.stderr)
        self.assertEqual(launch("--lease", "1s", "--dry-run", "--", "hostname").returncode, 0)

    def test_a_table_that_cannot_be_opened_is_wrong_usage_and_one_with_a_defect_is_refused(self):
        write("table.json", '{"version": "1.0", "server_count": "1", "status": "completed", "server_list": [{"server_id": '
                            '"node1", "device": [{"device_id": "0", "rank_id": "1"}]}]}')
        for command in ("launch", "train"):
            with self.subTest(command=command):
                missing = adarun(command, "-r", "none.json", "--", "hostname").expect(2)
                self.assertIn("none.json: No such file or directory", missing.stderr)
                refused = adarun(command, "-r", "table.json", "--", "hostname").expect(1)
                self.assertIn("table.json: $.server_list[0].device[0].rank_id: ranks must be 0", refused.stderr)

    def test_a_listener_notices_a_caller(self):
        with Listener() as listener:
            launch("--port", listener.port(), "--connect-timeout", "1s", "--", "hostname", hosts=hosts(1, "10.77.0.1"))
            self.assertTrue(listener.had_a_caller())

    def test_an_unknown_host_key_is_refused(self):
        config = os.path.join(self.folder, "config")
        text = read(os.environ["ADARUN_TEST_SSH_CONFIG"])
        text = text.replace(os.environ["ADARUN_TEST_KNOWN_HOSTS"], os.path.join(self.folder, "known_hosts"))
        write(config, text)
        done = launch("--ssh-config", config, "--", "hostname").expect(125)
        self.assertRegex(done.stderr, r"node[12].*host key is unknown")
        self.assertEqual(done.stdout, "")

        launch("--ssh-config", config, "--host-key", "accept-new", "--", "hostname", hosts=hosts(1)).expect(0)
        self.assertEqual(launch("--ssh-config", config, "--", "hostname", hosts=hosts(1)).returncode, 0)
