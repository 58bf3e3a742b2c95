# SPDX-License-Identifier: Apache-2.0
"""The portable adarun in the root file system ADARUN_TEST_ROOT, as /opt/adarun/bin/adarun; scripts/check-portable makes both.

What it prints there is compared with what the ordinary adarun of ADARUN_TEST_BIN prints here, but for times and paths.
"""
import contextlib
import ctypes
import os
import re
import shutil
import socket
import struct
import subprocess
import threading
import unittest
import urllib.request

from e2e import Case, adarun, own_sshd, read, run, ssh_agent, write, write_lines, write_program

ROOT = os.environ["ADARUN_TEST_ROOT"]
QEMU = os.environ.get("ADARUN_TEST_QEMU")  # Of a root for another processor: what runs its programs.
# Registers QEMU for the kernel in a user namespace of its own: this machine does not change.
REGISTER = (r"mount -t binfmt_misc none /proc/sys/fs/binfmt_misc && printf %s "
            r"':other:M::\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xb7\x00:"
            r"\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff:'$QEMU':F' "
            ">/proc/sys/fs/binfmt_misc/register && exec \"$@\"")
RANKS = "echo rank $RANK_ID of $RANK_SIZE, device $DEVICE_ID"


def in_root(*words, shell="exec \"$@\"", **environment):
    """The command that runs `words` in the root, with a small environment; `shell` is run there first."""
    variables = {"PATH": "/opt/adarun/bin:/bin:/usr/bin:/sbin:/usr/sbin", "HOME": "/root", "LANG": "C.UTF-8", **environment}
    settings = [f"{name}={value}" for name, value in variables.items() if value is not None]
    inside = ["chroot", ROOT, "/bin/sh", "-c", f"cd /work && {shell}", "sh", *map(str, words)]
    clean = ["/usr/bin/env", "-i", f"QEMU={QEMU or ''}", *settings]
    return [*clean, "unshare", "-Um", "--map-root-user", "sh", "-c", REGISTER, "sh", *inside] if QEMU else [*clean, *inside]


# System calls of x86-64 that came after Linux 3.10, which RHEL 7 has: renameat2, getrandom, memfd_create, execveat, membarrier,
# copy_file_range, preadv2, pwritev2, statx, rseq, pidfd_send_signal, pidfd_open, clone3, close_range, openat2, faccessat2.
NEW_CALLS = (316, 318, 319, 322, 324, 326, 327, 328, 332, 334, 424, 434, 435, 436, 437, 439)


def as_linux_3_10():
    """In this process and those that it starts, these calls fail as where they are unknown."""
    load, equal, give, no_such_call, allow = (0x20, 0, 0, 0), 0x15, 0x06, 0x00050000 | 38, 0x7fff0000
    steps = [load]
    for index, call in enumerate(NEW_CALLS):
        steps.append((equal, len(NEW_CALLS) - index, 0, call))
    steps += [(give, 0, 0, allow), (give, 0, 0, no_such_call)]
    code = b"".join(struct.pack("HBBI", *step) for step in steps)
    buffer = ctypes.create_string_buffer(code)
    program = struct.pack("HxxxxxxP", len(steps), ctypes.addressof(buffer))
    libc = ctypes.CDLL(None, use_errno=True)
    # The kernel calls itself 2.6 then: libcrypto reads no /dev/urandom where the kernel ought to have getrandom.
    uname_2_6 = 0x0020000
    libc.personality(uname_2_6)
    set_seccomp, filter_mode = 22, 2
    if libc.prctl(set_seccomp, filter_mode, ctypes.c_char_p(program)) != 0:
        raise OSError(ctypes.get_errno(), "seccomp")


def portable(*arguments, **environment):
    return run(*in_root("adarun", *arguments, **environment))


def settled(text):
    """Without what differs from one run to the next."""
    text = text.replace(os.getcwd(), "/work")
    text = re.sub(r"\b\d{8}-\d{6}-[0-9a-f]{4}\b", "JOB", text)
    return re.sub(r"\b\d+(\.\d+)? (ms|s)\b", "TIME", text)


@contextlib.contextmanager
def name_server(names):
    """Answers questions for the A record of `names` at 10.77.0.1:53; all other names do not exist."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as server:
        server.bind(("10.77.0.1", 53))

        def serve():
            while True:
                question, client = server.recvfrom(512)
                if question == b"end":
                    return
                labels, at = [], 12
                while question[at]:
                    labels.append(question[at + 1:at + 1 + question[at]].decode())
                    at += 1 + question[at]
                address = names.get(".".join(labels))
                kind = struct.unpack(">H", question[at + 1:at + 3])[0]
                answers = 1 if address and kind == 1 else 0
                head = question[:2] + struct.pack(">HHHHH", 0x8180 if address else 0x8183, 1, answers, 0, 0)
                record = struct.pack(">HHHIH", 0xc00c, 1, 1, 60, 4) + socket.inet_aton(address) if answers else b""
                server.sendto(head + question[12:at + 5] + record, client)

        thread = threading.Thread(target=serve)
        thread.start()
        try:
            yield
        finally:
            with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as client:
                client.sendto(b"end", ("10.77.0.1", 53))
            thread.join()


# Agents for aarch64 run on machines that are emulated as a whole: scripts/check-aarch64.
RUNS_AGENTS = unittest.skipIf(QEMU, "qemu-user knows no child subreapers, as which agents run")


class Portable(Case):
    def setUp(self):
        super().setUp()
        # The root's files that tests change. A folder for each test, so that jobs and logs of others are not seen.
        for folder in ("root", "work"):
            shutil.rmtree(os.path.join(ROOT, folder), ignore_errors=True)
            os.makedirs(os.path.join(ROOT, folder), 0o700)
        shutil.copytree(os.path.join(os.environ["HOME"], ".ssh"), self.at("root/.ssh"))
        config = read(self.at("root/.ssh/config")).replace(os.environ["HOME"], "/root")
        write(self.at("root/.ssh/config"), config)
        write_lines(self.at("etc/passwd"), ["root:x:0:0:root:/root:/bin/sh"])
        write(self.at("etc/hosts"), read("/etc/hosts"))
        with contextlib.suppress(FileNotFoundError):
            os.remove(self.at("etc/resolv.conf"))

    def at(self, path):
        return os.path.join(ROOT, path)

    def replace_getent(self, lines):
        """Puts a script in place of the root's getent, if it has one, until the test ends."""
        getent = self.at("usr/bin/getent")
        if os.path.exists(getent):
            os.rename(getent, getent + ".kept")
            self.addCleanup(os.rename, getent + ".kept", getent)
        else:
            self.addCleanup(os.remove, getent)
        write_program(getent, lines)

    def assert_same(self, *arguments, status=0):
        """Both print the same; returns it."""
        ours, there = adarun(*arguments), portable(*arguments)
        self.assertEqual((there.returncode, settled(there.stdout), settled(there.stderr)),
                         (ours.returncode, settled(ours.stdout), settled(ours.stderr)), arguments)
        self.assertEqual(there.returncode, status, there.stderr)
        return there.stdout

    def assert_ranks(self, done, ranks, devices):
        """The ranks of RANKS have run, so many of them, with so many on a node."""
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = sorted(done.stdout.splitlines(), key=lambda line: int(line.split()[1]))
        self.assertEqual(lines, [f"rank {rank} of {ranks}, device {rank % devices}" for rank in range(ranks)])

    def test_says_what_it_is(self):
        facts = portable("version").stdout
        self.assertEqual(facts.splitlines()[0], adarun("version").stdout.splitlines()[0])
        self.assertIn(", static\n", facts)
        self.assertIn('"portable": true', portable("version", "--json").stdout)

    def test_makes_and_checks_tables(self):
        table = self.assert_same("ranktable", "gen", "--plain", "--hosts", "10.77.0.[2-3]:8", "-o", "-")
        for folder in (self.folder, self.at("work")):
            write(os.path.join(folder, "table.json"), table)
            write(os.path.join(folder, "wrong.json"), table.replace('"2"', '"1"', 1))
        self.assert_same("ranktable", "validate", "table.json")
        self.assert_same("ranktable", "validate", "wrong.json", status=1)
        self.assert_same("ranktable", "show", "table.json")
        self.assert_same("ranktable", "env", "table.json", "--rank", "11")
        self.assert_same("ranktable", "convert", "table.json", "--to", "1.2", "-o", "-")

    @RUNS_AGENTS
    def test_runs_ranks_on_this_machine(self):
        words = ("launch", "-q", "--via", "local", "--hosts", "localhost:4", "--", "sh", "-c", RANKS)
        self.assert_ranks(portable(*words), 4, 4)
        self.assert_ranks(portable(*words), 4, 4)  # The first one has left an agent in the cache.

    @RUNS_AGENTS
    def test_ranks_get_the_variables_of_the_shell(self):
        """The script that starts the agent has variables, too."""
        names = ("version", "machine", "p", "d", "count", "room", "said", "f", "why", "build")
        done = portable("launch", "-q", "--via", "local", "--hosts", "localhost:1", "--", "env", **{name: "mine" for name in names})
        self.assertEqual(done.returncode, 0, done.stderr)
        for name in names:
            self.assertIn(f"{name}=mine", done.stdout.splitlines())

    @RUNS_AGENTS
    def test_runs_no_foreign_agent_that_lies_beside_it(self):
        agent = self.at("opt/adarun/bin/adarun-agent")
        self.addCleanup(os.remove, agent)
        for lines in (["echo adarun-agent 0.1.0"], ["exit 1"], ["exec cat"]):
            write_program(agent, lines)
            self.assert_ranks(portable("launch", "-q", "--via", "local", "--hosts", "localhost:2", "--", "sh", "-c", RANKS), 2, 2)

    @RUNS_AGENTS
    def test_names_the_rank_that_fails(self):
        self.assert_same("launch", "--via", "local", "--hosts", "localhost:2", "--", "sh", "-c",
                         'if [ "$RANK" = 0 ]; then : >up; exec sleep 100; fi; until [ -e up ]; do sleep 0.01; done; '
                         'echo device lost >&2; exit 7', status=7)

    def test_reaches_nodes_by_etc_hosts_config_and_known_hosts(self):
        self.assert_ranks(portable("launch", "-q", "--hosts", "node[1-2]:2", "--", "sh", "-c", RANKS), 4, 2)
        self.assertEqual(portable("ps").returncode, 0)
        logs = portable("logs", "--rank", "3")
        self.assertEqual((logs.returncode, logs.stdout), (0, "rank 3 of 4, device 1\n"), logs.stderr)

    def test_reaches_nodes_by_a_name_server_with_a_search_domain(self):
        write(self.at("etc/hosts"), "127.0.0.1 localhost\n")
        write(self.at("etc/resolv.conf"), "nameserver 10.77.0.1\nsearch cluster.example\n")
        known = read(self.at("root/.ssh/known_hosts"))
        write(self.at("root/.ssh/known_hosts"), known + known.replace("node", "gpu"))
        with name_server({"gpu1.cluster.example": "10.77.0.2", "gpu2.cluster.example": "10.77.0.3"}):
            self.assert_ranks(portable("launch", "-q", "--hosts", "gpu[1-2]:2", "--", "sh", "-c", RANKS), 4, 2)
            refused = portable("launch", "--hosts", "gpu3:2", "--", "true")
        self.assertEqual(refused.returncode, 125, refused.stderr)
        self.assertIn("gpu3: cannot resolve this name", refused.stderr)

    def test_asks_getent_what_files_and_name_servers_do_not_know(self):
        """As of a machine with LDAP or sssd, whose plug-ins a static program cannot load."""
        write(self.at("etc/hosts"), "127.0.0.1 localhost\n")
        write(self.at("etc/passwd"), "")
        known = read(self.at("root/.ssh/known_hosts"))
        write(self.at("root/.ssh/known_hosts"), known + known.replace("node", "ldap"))
        self.replace_getent(['case "$*" in', '"ahosts -- ldap1") echo "10.77.0.2 STREAM ldap1" ;;',
                             '"ahosts -- ldap2") echo "10.77.0.3 STREAM ldap2" ;;',
                             '"passwd -- 0") echo "root:x:0:0::/root:/bin/sh" ;;', "*) exit 2 ;;", "esac"])
        done = portable("launch", "-q", "--hosts", "ldap[1-2]:2", "--", "sh", "-c", RANKS, HOME=None)
        self.assert_ranks(done, 4, 2)

    def test_takes_no_plug_in_of_the_machine(self):
        """A plug-in of another C library would crash the program."""
        switch = self.at("etc/nsswitch.conf")
        kept = read(switch) if os.path.exists(switch) else None
        write(switch, "passwd: sss files\nhosts: mymachines files mdns4_minimal [NOTFOUND=return] dns\n")
        self.addCleanup((lambda: write(switch, kept)) if kept is not None else (lambda: os.remove(switch)))
        command = in_root("adarun", "launch", "-q", "--hosts", "node[1-2]:2", "--", "sh", "-c", RANKS)
        trace = ["strace", "-f", "-e", "trace=open,openat", "-o", "opened"] if not QEMU else []
        self.assert_ranks(run(*trace, *command), 4, 2)
        if trace:
            self.assertIn("/etc/hosts", read("opened"))
            self.assertNotRegex(read("opened"), r"libnss_|openssl\.cnf")

    def test_gives_up_a_getent_that_prints_without_an_end(self):
        self.replace_getent(["exec yes"])
        self.assertIn("gpu7: cannot resolve this name", portable("launch", "--hosts", "gpu7:2", "--", "true").stderr)

    def test_logs_in_by_an_agent(self):
        os.rename(self.at("root/.ssh/id_ed25519"), self.at("work/key"))
        config = self.at("root/.ssh/config")
        write_lines(config, [line for line in read(config).splitlines() if "IdentityFile" not in line])
        os.chdir(self.at("work"))
        os.chmod("key", 0o600)
        with ssh_agent("key"):
            os.remove("key")
            done = portable("launch", "-q", "--hosts", "node[1-2]:2", "--", "sh", "-c", RANKS, SSH_AUTH_SOCK="/work/agent")
        self.assert_ranks(done, 4, 2)

    def test_goes_through_a_jump_host(self):
        with own_sshd(self, "ListenAddress 10.77.0.1:2222") as config:
            known = re.search(r"UserKnownHostsFile (\S+)", read(config)).group(1)
            write(self.at("root/.ssh/known_hosts"), read(known).replace("launcher,10.77.0.1", "launcher,[10.77.0.1]:2222"))
            with open(self.at("root/.ssh/config"), "a", encoding="utf-8") as file:
                file.write("Host node*\n  ProxyJump root@10.77.0.1:2222\n")
            done = portable("launch", "-q", "--hosts", "node[1-2]:2", "--", "sh", "-c", RANKS)
        self.assert_ranks(done, 4, 2)

    def test_reads_and_serves_a_loss(self):
        lines = [f"epoch: 1 step: {step}, loss is {3 / step:.4f}" for step in range(1, 40)]
        for folder in (self.folder, self.at("work")):
            write_lines(os.path.join(folder, "train.log"), lines)
        self.assert_same("monitor", "--once", "train.log")
        self.assert_same("monitor", "--json", "train.log")
        with subprocess.Popen(in_root("adarun", "monitor", "--serve", "127.0.0.1:0", "train.log"), stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True) as server:
            try:
                url = next(found.group() for found in map(re.compile(r"http://\S+").search, server.stdout) if found)
                with urllib.request.urlopen(url.replace("/?", "/metrics?"), timeout=20) as page:
                    self.assertIn("adarun_loss_median", page.read().decode())
            finally:
                server.terminate()

    @unittest.skipIf(QEMU, "qemu-user itself needs /proc")
    def test_says_what_it_lacks_without_proc(self):
        self.addCleanup(subprocess.run, ["mount", "-t", "proc", "proc", self.at("proc")], check=True)
        done = run(*in_root("adarun", "launch", "-q", "--via", "local", "--hosts", "localhost:2", "--", "true",
                            shell="umount /proc; exec \"$@\""))
        version = portable("version", "--json")
        self.assertEqual(version.returncode, 0, version.stderr)
        self.assertEqual(done.returncode, 125, done.stderr)
        self.assertRegex(done.stderr, "^adarun: /proc/self/exe: .* need /proc: mount -t proc proc /proc\n")

    @RUNS_AGENTS
    def test_finds_another_folder_for_the_agent_than_one_mounted_noexec(self):
        os.makedirs(self.at("root/.cache"))
        subprocess.run(["mount", "-t", "tmpfs", "-o", "noexec", "cache", self.at("root/.cache")], check=True)
        self.addCleanup(subprocess.run, ["umount", self.at("root/.cache")], check=True)
        self.assert_ranks(portable("launch", "-q", "--via", "local", "--hosts", "localhost:2", "--", "sh", "-c", RANKS), 2, 2)

    @unittest.skipIf(QEMU, "these are system calls of x86-64")
    def test_runs_on_linux_3_10(self):
        """Of the launcher and the agents that it starts itself: those of the test hosts run as usual."""
        for words in (("--via", "local", "--hosts", "localhost:4"), ("--hosts", "node[1-2]:2")):
            done = run(*in_root("adarun", "launch", "-q", *words, "--", "sh", "-c", "echo rank $RANK_ID"), preexec_fn=as_linux_3_10)
            self.assertEqual((done.returncode, sorted(done.stdout.splitlines())), (0, [f"rank {rank}" for rank in range(4)]), done.stderr)
        collected = run(*in_root("adarun", "logs", "--hosts", "node[1-2]", "--path", "/etc/hosts"), preexec_fn=as_linux_3_10)
        self.assertEqual(collected.returncode, 0, collected.stderr)

    @RUNS_AGENTS
    def test_shows_the_demo_without_a_trainer(self):
        done = portable("demo", "--no-train")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("16 ranks", done.stdout + done.stderr)
        self.assertRegex(done.stdout, r"loss +\d+\.\d+ -> \d")
