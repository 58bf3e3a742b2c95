# SPDX-License-Identifier: Apache-2.0
"""launch --stage: programs and data are on every node before ranks start."""
import contextlib
import os
import pty
import signal

from e2e import DEADLINE_S, Case, adarun, hosts, launch, run, start

OWN = os.environ["ADARUN_TEST_OWN"]  # A path that is a different folder on each node.


def put(path, content, mode=0o644):
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    with open(path, "wb") as file:
        file.write(content)
    os.chmod(path, mode)


class Stage(Case):
    def setUp(self):
        super().setUp()
        self.addCleanup(self.on_nodes, "find . -mindepth 1 -delete")

    def stage(self, *texts, program=("true",), options=("-v",), nodes=None):
        staged = [word for text in texts for word in ("--stage", text)]
        return launch(*options, "--mpi", "off", "--workdir", OWN, *staged, "--", *program, hosts=nodes or hosts(1))

    def on_nodes(self, script):
        """Runs a shell script in the OWN folder of each node; returns its output, which must be the same on all."""
        said = {run("ssh", node, f"cd {OWN} && {script}").expect(0).stdout
                for node in os.environ["ADARUN_TEST_HOSTS"].split(",")}
        self.assertEqual(len(said), 1, said)
        return said.pop()

    def assert_staged(self, done, words):
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stderr, rf"(?m)^adarun: staged {words}$")


class Files(Stage):
    def test_a_program_is_run_where_it_was_not_before_and_not_sent_again(self):
        put("run me ü", b"#!/bin/sh\necho it runs\n", mode=0o750)
        for words in (r"1 file \(23 bytes\) on 2 nodes in .*: 46 bytes sent",
                      r"1 file \(23 bytes\) on 2 nodes in .*: all there already"):
            done = self.stage("run me ü", program=["./run me ü"])
            self.assert_staged(done, words)
            self.assertEqual(done.stdout, "it runs\n" * 2)
        self.assertEqual(self.on_nodes("stat -c '%a %n' *"), "750 run me ü\n")

    def test_what_differs_is_sent_again_and_its_mode_kept_up(self):
        put("data", b"one")
        self.stage("data")
        put("data", b"two", mode=0o600)
        self.assert_staged(self.stage("data"), r"1 file \(3 bytes\) on 2 nodes in .*: 6 bytes sent")
        os.chmod("data", 0o444)
        self.assert_staged(self.stage("data"), r"1 file .*: all there already")
        self.assertEqual(self.on_nodes("stat -c %a data && cat data"), "444\ntwo")

    def test_only_nodes_that_lack_it_are_sent_it(self):
        put("data", bytes(1000))
        self.stage("data", nodes="node2")
        self.assert_staged(self.stage("data"), r"1 file \(1 kB\) on 2 nodes in .*: 1 kB sent, the rest was there")

    def test_a_destination_can_be_named(self):
        put("in/data", b"x")
        done = self.stage("in/data", "in/data:other", "in/data:made/", f"in/data:{OWN}/absolute/name")
        self.assert_staged(done, r"4 files \(4 bytes\) on 2 nodes in .*: 8 bytes sent")
        self.assertEqual(self.on_nodes("find . -type f | sort"), "./absolute/name\n./in/data\n./made/data\n./other\n")

    def test_names_with_colons_are_files_where_they_are_there(self):
        put("a:b", b"x")
        self.stage("a:b", "a:b:c")
        self.assertEqual(self.on_nodes("ls"), "a:b\nc\n")

    def test_a_folder_brings_all_that_is_in_it(self):
        put("tree/deep/er/program", b"#!/bin/sh\n", mode=0o755)
        put("tree/empty file", b"")
        put("tree/big", os.urandom(3_000_000))
        os.mkdir("tree/empty")
        os.symlink("deep/er/program", "tree/link")
        os.chmod("tree/deep", 0o555)
        self.addCleanup(os.chmod, f"{self.folder}/tree/deep", 0o755)
        listing = "cd tree && find . -printf '%p %y %m %l\\n' | sort && find . -type f | sort | xargs -d '\\n' sha256sum"
        wanted = run("sh", "-c", listing).expect(0).stdout
        for _ in range(2):
            self.assertEqual(self.stage("tree/").returncode, 0)
            self.assertEqual(self.on_nodes(listing), wanted)

    def test_many_small_files_are_all_brought(self):
        for i in range(300):
            put(f"many/{i}", str(i).encode())
        self.assertEqual(self.stage("many").returncode, 0)
        self.assertEqual(self.on_nodes("cat many/* | wc -c; ls many | wc -l"), "790\n300\n")

    def test_without_ssh_the_working_folder_is_staged_to(self):
        put("data", b"x\n")
        os.mkdir("work")
        for workdir, words in (("work", "4 bytes sent"), (".", "all there already")):
            done = adarun("launch", "-v", "--via", "local", "--hosts", "a,b", "--mpi", "off", "--workdir",
                          os.path.abspath(workdir), "--stage", "data", "--", "cat", "data")
            self.assert_staged(done, rf"1 file \(2 bytes\) on 2 nodes in .*: {words}")
            self.assertEqual(done.stdout, "x\n" * 2)
        self.assertEqual(os.listdir("work"), ["data"])


class Refused(Stage):
    def assert_none_left(self):
        self.assertEqual(self.on_nodes("find . -name '.adarun-*'"), "")

    def test_what_is_not_there_is_wrong_usage(self):
        os.mkfifo("pipe")
        put("data", b"x")
        for text, words in (("none", "none: No such file or directory"), ("pipe", "pipe: is no file, folder or symbolic link"),
                            ("data:", "wanted FILE or FILE:DEST"), (":x", "wanted FILE or FILE:DEST")):
            done = self.stage(text).expect(2)
            self.assertIn(words, done.stderr)
        done = self.stage("data", "data").expect(2)
        self.assertIn("data: a second one for data", done.stderr)

    def test_a_full_disk_is_named_with_node_and_file_and_leaves_nothing(self):
        self.on_nodes("mkdir -p small && mount -t tmpfs -o size=1m none small")
        self.addCleanup(self.on_nodes, "umount small")
        put("small/data", bytes(3_000_000))
        done = self.stage("small/data").expect(125)
        self.assertRegex(done.stderr, rf'(?m)^adarun: node(\d|\[1-2\]): cannot stage "{OWN}/small/data": No space left on device$')
        self.assertEqual(self.on_nodes("ls -A small"), "")

    def test_a_folder_in_the_way_is_named(self):
        self.on_nodes("mkdir data")
        put("data", b"x")
        done = self.stage("data").expect(125)
        self.assertRegex(done.stderr, rf'(?m)^adarun: node(\d|\[1-2\]): cannot stage "{OWN}/data": Is a directory$')
        self.assert_none_left()

    def test_a_read_only_place_is_named(self):
        self.on_nodes("mkdir -p ro && mount -t tmpfs -o ro none ro")
        self.addCleanup(self.on_nodes, "umount ro")
        put("ro/data", b"x")
        done = self.stage("ro/data").expect(125)
        self.assertRegex(done.stderr, rf'(?m)^adarun: node(\d|\[1-2\]): cannot stage "{OWN}/ro/data": Read-only file system$')

    def test_an_interrupt_leaves_no_part_of_a_file(self):
        put("data", os.urandom(300_000_000))
        main, terminal = pty.openpty()
        with start("launch", "--mpi", "off", "--hosts", hosts(1), "--workdir", OWN, "--stage", "data", "--", "true",
                   stderr=terminal, text=False) as job:
            os.close(terminal)
            try:
                shown = b""
                while b" MB sent" not in shown:
                    shown += os.read(main, 4096)
                job.send_signal(signal.SIGINT)
                with contextlib.suppress(OSError):
                    while os.read(main, 4096):
                        pass
                self.assertEqual(job.wait(DEADLINE_S), 130)
            finally:
                os.close(main)
        self.assert_nothing_left()  # No agent either.
        self.assert_none_left()
        self.assertEqual(self.on_nodes("ls -A"), "")
