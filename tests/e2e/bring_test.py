# SPDX-License-Identifier: Apache-2.0
"""Nodes without a usable agent: adarun copies one there, and finds it the next time."""
import os
import shlex
import shutil
import subprocess
import unittest

from e2e import DEADLINE_S, Case, adarun, launch, own_sshd, read_bytes, run, start, write, write_program

BIN = os.environ["ADARUN_TEST_BIN"]
AGENT = f"{BIN}/adarun-agent"
STATIC = f"{BIN}/adarun-agent-static"
AARCH64 = f"{BIN}/adarun-agent-static-aarch64"
QEMU = os.environ.get("ADARUN_TEST_QEMU")


class Bring(Case):
    """The node is this machine in a mount namespace of its own, with its own cache and temporary folder."""

    def setUp(self):
        super().setUp()
        self.cache = f"{self.folder}/cache"
        self.temporary = f"{self.folder}/tmp"
        for folder in (self.cache, self.temporary):
            os.mkdir(folder)

    def node(self, *commands, environment=""):
        """A node on which these shell commands are run first."""
        return own_sshd(self, f"SetEnv TMPDIR={self.temporary} XDG_CACHE_HOME={self.cache} {environment}",
                        mounts=" && ".join(commands or ["true"]))

    def hide_agent(self):
        """A shell command that mounts an empty folder over the programs."""
        return f"mount -t tmpfs none {shlex.quote(BIN)}"

    def replace_agent(self, text, mode=0o755, owner=0):
        path = f"{self.folder}/other-agent"
        write(path, text)
        os.chmod(path, mode)
        os.chown(path, owner, owner)
        return f"mount --bind {shlex.quote(path)} {shlex.quote(AGENT)}"

    def pretend(self, machine):
        write_program("uname", [f"echo {machine}"])

    def another_uname(self):
        return f"mount --bind {self.folder}/uname /usr/bin/uname"

    def run_on(self, config, *options, program=("echo", "hello"), env=None):
        done = launch("-v", "--ssh-config", config, *options, "--", *program, hosts="launcher", env=env)
        self.assertNotIn("\n\n", done.stderr)
        return done

    def assert_brought(self, done, why, how="brought to"):
        self.assertEqual((done.returncode, done.stdout), (0, "hello\n"), done.stderr)
        self.assertRegex(done.stderr, rf"(?m)^adarun: launcher: connected after .*; {how} {self.cache}/adarun, as {why}$")

    def assert_refused(self, done, *words):
        self.assertEqual((done.returncode, done.stdout), (125, ""), done.stderr)
        said = [line for line in done.stderr.splitlines() if line.startswith("adarun: launcher: ")]
        self.assertTrue(said, done.stderr)
        for word in words:
            self.assertRegex(said[-1], word)

    def kept(self):
        return sorted(os.listdir(f"{self.cache}/adarun"))


class Found(Bring):
    def test_a_missing_agent_is_brought_and_found_the_next_time(self):
        with self.node(self.hide_agent()) as config:
            self.assert_brought(self.run_on(config), f"{AGENT} is not there")
            kept = self.kept()
            self.assert_brought(self.run_on(config), f"{AGENT} is not there", how="found in")
        self.assertEqual(len(kept), 1)
        self.assertEqual(self.kept(), kept)
        self.assertEqual(os.stat(f"{self.cache}/adarun/{kept[0]}").st_mode & 0o777, 0o700)

    def test_an_installed_one_that_runs_is_taken(self):
        with self.node() as config:
            done = self.run_on(config)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stderr, r"(?m)pid \d+$")
        self.assertEqual(os.listdir(self.cache), [])

    def test_one_of_another_version_is_replaced(self):
        with self.node(self.replace_agent("#!/bin/sh\necho adarun-agent 0.0.9\n")) as config:
            self.assert_brought(self.run_on(config), f"{AGENT} does not do: adarun-agent 0.0.9")

    def test_one_whose_version_only_begins_alike_is_replaced(self):
        said = run(AGENT, "--version").expect(0).stdout
        longer = said.splitlines()[0] + "1"
        with self.node(self.replace_agent(f"#!/bin/sh\necho {longer}\n")) as config:
            self.assert_brought(self.run_on(config), f"{AGENT} does not do: {longer}")

    def test_one_that_is_not_executable_is_replaced(self):
        with self.node(self.replace_agent("#!/bin/sh\n", mode=0o644)) as config:
            self.assert_brought(self.run_on(config), f"{AGENT} does not do: .*Permission denied")

    def test_one_that_others_can_have_put_there_is_not_run(self):
        ran = f"{self.folder}/ran"
        text = f"#!/bin/sh\ntouch {ran}\nexec {STATIC} \"$@\"\n"
        for mode, owner in ((0o755, 4711), (0o777, 0), (0o775, 0)):
            with self.subTest(mode=mode, owner=owner), self.node(self.replace_agent(text, mode, owner)) as config:
                self.assert_brought(self.run_on(config), f"{AGENT} is not run: others can change it or a folder above it",
                                    how="(brought to|found in)")
                self.assertFalse(os.path.exists(ran))

    def test_one_below_a_folder_of_others_is_not_run(self):
        ran = f"{self.folder}/ran"
        write_program("other-agent", [f"touch {ran}"])
        theirs = f"mount -t tmpfs -o uid=4711 none {shlex.quote(BIN)}"
        put = f"cp {self.folder}/other-agent {shlex.quote(AGENT)}"
        linked = f"ln -s {self.folder}/other-agent {shlex.quote(AGENT)} && chown -h 4711 {shlex.quote(AGENT)}"
        for commands in ((theirs, put), (self.hide_agent(), linked)):
            with self.subTest(commands=commands), self.node(*commands) as config:
                self.assert_brought(self.run_on(config), f"{AGENT} is not run: others can change it or a folder above it",
                                    how="(brought to|found in)")
                self.assertFalse(os.path.exists(ran))

    def test_one_behind_links_of_the_user_is_taken(self):
        link = f"ln -s {self.folder}/lib/agent {shlex.quote(AGENT)}"
        os.mkdir("lib")
        shutil.copy(AGENT, "lib/agent.1")
        os.symlink("agent.1", "lib/agent")
        with self.node(self.hide_agent(), link) as config:
            done = self.run_on(config)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(os.listdir(self.cache), [])

    def test_one_that_others_can_change_is_run_if_the_user_names_it(self):
        shutil.copy(AGENT, "agent")
        os.chown("agent", 4711, 4711)
        with self.node() as config:
            done = self.run_on(config, "--agent", f"{self.folder}/agent")
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_one_that_the_user_has_named_is_brought_only_where_it_is_missing(self):
        with self.node() as config:
            self.assert_brought(self.run_on(config, "--agent", "/none/agent"), "/none/agent is not there")
            write_program("old", ["echo adarun-agent 0.0.9"])
            self.assert_refused(self.run_on(config, "--agent", f"{self.folder}/old"),
                                r"/old does not do: adarun-agent 0\.0\.9, wanted adarun-agent \d")

    def test_questions_are_answered_by_one_that_was_brought(self):
        with self.node(self.hide_agent()) as config:
            done = adarun("check", "--ssh-config", config, "--hosts", "launcher")
        self.assertRegex(done.stdout, r"ok +reachable +all nodes: yes")

    def test_a_damaged_one_is_brought_again(self):
        with self.node(self.hide_agent()) as config:
            self.run_on(config)
            [name] = self.kept()
            path = f"{self.cache}/adarun/{name}"
            whole = read_bytes(path)
            middle = len(whole) // 2
            for damaged in (whole[:100_000], bytes(len(whole)), whole[:middle] + b"oops" + whole[middle + 4:], b""):
                with open(f"{self.cache}/damaged", "wb") as file:  # A running program cannot be written to, only replaced.
                    file.write(damaged)
                os.chmod(f"{self.cache}/damaged", 0o700)
                os.replace(f"{self.cache}/damaged", path)
                self.assert_brought(self.run_on(config), f"{AGENT} is not there")
                self.assertEqual(read_bytes(path), whole)

    def test_launches_at_the_same_time_do_not_hinder_one_another(self):
        with self.node(self.hide_agent()) as config:
            jobs = [start("launch", "--ssh-config", config, "--hosts", "launcher", "--log-dir", f"log{i}", "--", "echo", "hello",
                          stderr=subprocess.STDOUT) for i in range(4)]
            said = [job.communicate(timeout=DEADLINE_S)[0] for job in jobs]
        self.assertEqual(said, ["hello\n"] * 4)
        self.assertEqual(len(self.kept()), 1)


class Places(Bring):
    def brought_to_temporary(self, done):
        self.assertEqual((done.returncode, done.stdout), (0, "hello\n"), done.stderr)
        self.assertIn(f"; brought to {self.temporary}/adarun-0, as ", done.stderr)

    def mount(self, folder, options):
        return f"mount -t tmpfs -o {options} none {shlex.quote(folder)}"

    def test_a_home_that_takes_no_agent_is_passed_over(self):
        for options in ("ro", "noexec", "size=64k"):
            with self.subTest(options), self.node(self.hide_agent(), self.mount(self.cache, options)) as config:
                self.brought_to_temporary(self.run_on(config))
                shutil.rmtree(f"{self.temporary}/adarun-0")

    def test_a_node_without_a_place_says_why(self):
        for options, why in (("ro", "Read-only file system"), ("noexec", "no program can be run from there"),
                             ("size=64k", "No space left on device")):
            mounts = (self.mount(folder, options) for folder in (self.cache, self.temporary))
            with self.subTest(options), self.node(self.hide_agent(), *mounts) as config:
                self.assert_refused(self.run_on(config), "and ours finds no place there", f"cache/adarun: {why}", f"tmp/adarun-0: {why}")

    def test_a_folder_of_somebody_else_is_not_trusted(self):
        os.mkdir(f"{self.temporary}/adarun-0")
        os.chown(f"{self.temporary}/adarun-0", 65534, 65534)
        with self.node(self.hide_agent(), self.mount(self.cache, "ro")) as config:
            self.assert_refused(self.run_on(config), "adarun-0: it belongs to somebody else")

    def test_a_node_with_a_processor_that_ours_are_not_for_is_refused(self):
        self.pretend("riscv64")
        with self.node(self.hide_agent(), self.another_uname()) as config:
            self.assert_refused(self.run_on(config), r"and ours is for x86_64( aarch64)?, this is riscv64: install adarun-agent there$")


@unittest.skipUnless(QEMU and os.path.exists(AARCH64), "skipped: no agent for aarch64, or no qemu-aarch64")
class Aarch64(Bring):
    """A node whose uname says aarch64, simulated by this machine: qemu runs programs for that processor."""

    def setUp(self):
        super().setUp()
        self.pretend("aarch64")

    def play(self, *commands):
        return self.node(self.hide_agent(), self.another_uname(), *commands,
                         environment=f"LD_PRELOAD={os.environ['ADARUN_TEST_EXEC_BY_QEMU']}")

    def assert_was_run(self, done):
        """Debian 12's qemu-user does not support child subreapers: under it the agent reports that and exits."""
        if done.returncode == 0:
            self.assertEqual(done.stdout, "hello\n")
        else:
            self.assert_refused(done, "no agent answered: .*adarun-agent: child subreaper: Invalid argument")

    def test_the_agent_for_it_is_brought_and_found_the_next_time(self):
        with self.play() as config:
            self.assert_was_run(self.run_on(config))
            [name] = self.kept()
            self.assertRegex(name, "^agent-static-aarch64-[0-9a-f]{16}$")
            kept = os.stat(f"{self.cache}/adarun/{name}")
            self.assertEqual(kept.st_size, os.path.getsize(AARCH64))
            self.assert_was_run(self.run_on(config))
        self.assertEqual(self.kept(), [name])
        self.assertEqual(os.stat(f"{self.cache}/adarun/{name}").st_ino, kept.st_ino)

    def test_a_damaged_one_is_brought_again(self):
        with self.play() as config:
            self.run_on(config)
            [name] = self.kept()
            path = f"{self.cache}/adarun/{name}"
            whole = read_bytes(path)
            with open(path, "wb") as file:
                file.write(whole[:1_000_000])
            self.assert_was_run(self.run_on(config))
            self.assertEqual(read_bytes(path), whole)

    def test_it_says_who_it_is(self):
        ours = run(AGENT, "--version").expect(0)
        theirs = run(QEMU, AARCH64, "--version").expect(0)
        self.assertEqual(theirs.stdout.splitlines()[0], ours.stdout.splitlines()[0])
        self.assertRegex(theirs.stdout, r"(?m)^processor +aarch64$")


@unittest.skipUnless(os.path.exists(STATIC), "this build has no static agent")
class OldLibc(Bring):
    """The dynamically linked agent needs a libc version that no node has."""

    def setUp(self):
        super().setUp()
        os.mkdir("bin")
        shutil.copy(STATIC, "bin")
        shutil.copy(f"{BIN}/adarun", "bin")
        agent = read_bytes(AGENT)
        self.assertIn(b"\0GLIBC_2.34\0", agent)
        with open("bin/adarun-agent", "wb") as file:
            file.write(agent.replace(b"\0GLIBC_2.34\0", b"\0GLIBC_9.34\0"))
        os.chmod("bin/adarun-agent", 0o755)

    def launch(self, config, *options):
        return run(f"{self.folder}/bin/adarun", "launch", "-v", "--ssh-config", config, "--hosts", "launcher", *options, "--",
                   "echo", "hello")

    def test_the_static_agent_is_brought_and_found_the_next_time(self):
        with self.node() as config:
            why = f"{self.folder}/bin/adarun-agent does not do: .*GLIBC_9.34.*"
            done = self.launch(config)
            self.assert_brought(done, why)
            self.assertRegex(done.stderr, "launcher: set up, with a server for MPICH .PMI., without one for Open MPI: the static agent .* loads no PMIx")
            self.assertRegex("".join(self.kept()), "^agent-static-[0-9a-f]{16}$")
            self.assert_brought(self.launch(config), why, how="found in")

    def test_it_refuses_to_serve_mpi(self):
        with self.node() as config:
            self.assert_refused(self.launch(config, "--mpi", "on"), "loads no PMIx: install adarun-agent there")
