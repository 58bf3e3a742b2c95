# SPDX-License-Identifier: Apache-2.0
"""Log files that are brought home: those of jobs that adarun did not start, found on the nodes, collected, printed; and output
that agents could not deliver because their supervisor died."""
import contextlib
import glob
import os
import pathlib
import pty
import signal
import subprocess
import sys
import threading
import time

from cutting import end_sessions
from e2e import DEADLINE_S, Case, adarun, await_end, await_that, hosts, launch, read_bytes, start, survivors


class Fetch(Case):
    def setUp(self):
        super().setUp()
        self.nodes = os.environ["ADARUN_TEST_HOSTS"].split(",")
        self.hosts = ",".join(self.nodes)
        self.there = pathlib.Path(self.folder) / "there"  # All hosts share this machine's files.
        self.there.mkdir()

    def home(self, name, node="node1"):
        return pathlib.Path(self.folder, "home", node, *self.there.parts[1:], name)

    def collect(self, pattern="*", hosts=None, folder="home"):
        return adarun("logs", "--hosts", hosts or self.hosts, "--path", self.there / pattern, "--collect", folder)

    def test_files_of_all_nodes_come_home_whole(self):
        content = {"a.log": b"epoch: 1 step: 1, loss is 2.3\n" * 100000, "empty.log": b"", "noise.log": os.urandom(3_000_000),
                   "a b\nc\xe4\xff.log".encode("latin-1").decode("latin-1"): b"\0\n", "d/deep.log": b"deep"}
        for name, text in content.items():
            (self.there / name).parent.mkdir(exist_ok=True)
            (self.there / name).write_bytes(text)
        done = self.collect("").expect(0, stderr="")
        self.assertEqual(done.stdout, "node[1-2]: 5 files, 6 MB\n")
        for node in self.nodes:
            for name, text in content.items():
                self.assertEqual(self.home(name, node).read_bytes(), text)
                self.assertEqual(int(self.home(name, node).stat().st_mtime), int((self.there / name).stat().st_mtime))
        self.assertEqual([p for p in pathlib.Path("home").rglob("*") if p.name.startswith(".adarun")], [])
        self.collect("").expect(0, stdout="node[1-2]: 5 files, 6 MB, all here already\n")

    def test_what_a_cut_has_left_is_gone_on_with(self):
        (self.there / "big.log").write_bytes(os.urandom(200_000_000))
        with start("logs", "--hosts", "node1", "--path", self.there, "--collect", "home") as cut:
            await_that(lambda: any(p.stat().st_size > 1_000_000 for p in self.home("").glob(".adarun-*.part")))
            end_sessions()
            out, err = cut.communicate(timeout=DEADLINE_S)
        self.assertEqual((cut.returncode, out), (3, ""), err)
        self.assertRegex(err, r"\Aadarun: node1: [^\n]+\n\Z")
        parts = list(self.home("").glob(".adarun-*.part"))
        self.assertEqual(len(parts), 1)
        had = parts[0].stat().st_size
        self.assertFalse(self.home("big.log").exists())
        done = self.collect(hosts="node1").expect(0)
        self.assertRegex(done.stdout, r"node1: 1 file, 200 MB, [\d.]+ MB of it new")
        self.assertGreater(had, 1_000_000)
        self.assertEqual(self.home("big.log").read_bytes(), (self.there / "big.log").read_bytes())

    def test_ctrl_c_leaves_what_the_next_one_continues_with(self):
        (self.there / "big.log").write_bytes(os.urandom(100_000_000))
        with start("logs", "--hosts", "node1", "--path", self.there, "--collect", "home", stdout=None) as run:
            await_that(lambda: any(self.home("").glob(".adarun-*.part")))
            run.send_signal(signal.SIGINT)
            _, err = run.communicate(timeout=DEADLINE_S)
        self.assertEqual(run.returncode, 130, err)
        self.assertIn("the same command continues there", err)
        self.assertEqual(self.collect(hosts="node1").returncode, 0)
        self.assertEqual(self.home("big.log").stat().st_size, 100_000_000)

    def test_only_what_a_file_has_grown_by_is_sent(self):
        log = self.there / "a.log"
        log.write_bytes(os.urandom(5_000_000))
        self.assertEqual(self.collect().returncode, 0)
        with open(log, "ab") as file:
            file.write(b"more\n" * 200)
        self.collect().expect(0, stdout="node[1-2]: 1 file, 5 MB, 1 kB of it new\n")
        self.assertEqual(self.home("a.log").read_bytes(), log.read_bytes())
        log.write_bytes(b"begun anew\n")
        self.assertEqual(self.collect().returncode, 0)
        self.assertEqual(self.home("a.log").read_bytes(), b"begun anew\n")

    def test_a_file_that_grows_or_shrinks_meanwhile_does_no_harm(self):
        log = self.there / "a.log"
        log.write_bytes(b"0" * 1000)
        over = threading.Event()

        def write():
            while not over.is_set():
                with open(log, "ab") as file:
                    file.write(b"line\n" * 100_000)
                if log.stat().st_size > 20_000_000:
                    os.truncate(log, 1000)

        writer = threading.Thread(target=write)
        writer.start()
        try:
            done = [self.collect(hosts="node1") for _ in range(3)]
        finally:
            over.set()
            writer.join()
        for each in done:
            self.assertIn(each.returncode, (0, 3), each.stderr)
            if each.returncode == 3:
                self.assertIn("was cut short while it was read", each.stderr)
        self.assertEqual(self.collect(hosts="node1").returncode, 0)
        self.assertEqual(self.home("a.log").read_bytes(), log.read_bytes())

    def test_nothing_is_followed_out_of_a_tree(self):
        (self.there / "a.log").write_bytes(b"a")
        os.symlink("/etc/passwd", self.there / "passwd.log")
        os.symlink("/etc", self.there / "etc")
        os.mkfifo(self.there / "pipe.log")
        done = self.collect("").expect(0)
        self.assertEqual(done.stdout, "node[1-2]: 1 file, 1 bytes\n")
        for name in ("passwd.log: a symbolic link", "etc: a symbolic link", "pipe.log: no regular file"):
            self.assertIn(f"adarun: node[1-2]: {self.there}/{name}: left out\n", done.stderr)
        # Symbolic links in the target folder are not followed either.
        outside = pathlib.Path(self.folder, "outside")
        outside.mkdir()
        pathlib.Path("other").mkdir()
        os.symlink(outside, "other/node1")
        led = self.collect("a.log", hosts="node1", folder="other").expect(3)
        self.assertIn("other/node1: no folder, or a symbolic link, through which nothing is written", led.stderr)
        self.assertEqual(list(outside.iterdir()), [])

    def test_what_cannot_be_had_is_told_once_for_all_nodes(self):
        self.assertEqual(self.collect("*.nothing").returncode, 1)
        none = self.collect("*.nothing")
        self.assertEqual(none.stderr, f"adarun: node[1-2]: no file matches {self.there}/*.nothing\n")
        (self.there / "a.log").write_bytes(b"a\n")
        lost = self.collect(hosts="node1,node77").expect(3, stdout="node1: 1 file, 2 bytes\n")
        self.assertIn("adarun: node77: cannot resolve this name: ", lost.stderr)

    def test_a_full_disk_at_home_is_named_and_the_rest_comes_when_there_is_room(self):
        (self.there / "a.log").write_bytes(os.urandom(3_000_000))
        os.mkdir("small")
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m,mode=755", "small", "small"], check=True)
        self.addCleanup(subprocess.run, ["umount", "small"], check=True)
        full = self.collect(folder="small").expect(3)
        self.assertRegex(full.stderr, r"adarun: node1: small/node1/\S+/a.log: cannot write: No space left on device")
        subprocess.run(["mount", "-o", "remount,size=20m", "small"], check=True)
        done = self.collect(folder="small").expect(0)
        self.assertIn("of it new", done.stdout)

    def test_lines_of_nodes_are_printed_chosen_and_merged(self):
        (self.there / "a.log").write_text("2026-11-21 10:00:01 up\n2026-11-21 10:00:02 Error: x\nno end", encoding="utf-8")
        path = self.there / "a.log"
        read = ("logs", "--hosts", self.hosts, "--path", path)
        self.assertEqual(adarun("logs", "--hosts", "node1", "--path", path).stdout, path.read_text(encoding="utf-8") + "\n")
        both = adarun(*read, "--grep", "Err|none")
        self.assertEqual(both.stdout, f"==> node1:{path} <==\n2026-11-21 10:00:02 Error: x\n\n"
                                      f"==> node2:{path} <==\n2026-11-21 10:00:02 Error: x\n")
        merged = adarun(*read, "--merge", "--since", "2026-11-21 10:00:02")
        self.assertEqual(merged.stdout, f"[node[1-2]:{path}] 2026-11-21 10:00:02 Error: x\n[node[1-2]:{path}] no end\n")
        self.assertEqual(adarun(*read, "--grep", "nowhere").returncode, 1)
        self.assertEqual(adarun(*read, "--tail", "1", "--tag-output").stdout,
                         f"[node1:{path}] no end\n[node2:{path}] no end\n")

    def test_files_are_followed_while_they_grow(self):
        path = self.there / "a.log"
        path.write_text("one\n", encoding="utf-8")
        with start("logs", "--hosts", "node1", "--path", self.there, "--follow", "--tag-output", stderr=None) as run:
            self.assertEqual(run.stdout.readline(), f"[node1:{path}] one\n")
            with open(path, "a", encoding="utf-8") as file:
                file.write("two\n")
            self.assertEqual(run.stdout.readline(), f"[node1:{path}] two\n")
            (self.there / "b.log").write_text("new\n", encoding="utf-8")
            self.assertEqual(run.stdout.readline(), f"[node1:{self.there}/b.log] new\n")
            run.send_signal(signal.SIGINT)
            run.communicate(timeout=DEADLINE_S)
        self.assertEqual(run.returncode, 130)

    def test_a_terminal_sees_how_far_it_is(self):
        (self.there / "a.log").write_bytes(os.urandom(150_000_000))
        master, slave = pty.openpty()
        with start("logs", "--hosts", self.hosts, "--path", self.there, "--collect", "home", stdout=subprocess.DEVNULL,
                   stderr=slave, text=False) as run:
            os.close(slave)
            seen = b""
            with contextlib.suppress(OSError):
                while block := os.read(master, 65536):
                    seen += block
            self.assertEqual(run.wait(DEADLINE_S), 0)
        os.close(master)
        self.assertRegex(seen, rb"adarun: collecting: \[[#.]{20}\] [\d.]+ \w+ of [\d.]+ \w+, \d of \d files?, \d of 2 nodes done")
        self.assertTrue(seen.endswith(b"\r\x1b[K"), seen[-40:])

    def test_wrong_usage_is_told_in_a_line(self):
        for words, told in ((("--hosts", "node1"), "--hosts: say which files of these hosts: --path GLOB"),
                            (("--hosts", "node1", "--path", "x/../y"), '--path x/../y: wanted a path without ".."'),
                            (("--hosts", "node1", "--path", "x", "--collect"), "--collect: say where to: --collect DIR"),
                            (("--path", "x", "--rank", "3"), "--rank and --path: files of nodes have no ranks"),
                            (("--since", "yesterday"), '--since: "yesterday": wanted a time such as 10m'),
                            (("--grep", "(["), '--grep: "([": no regular expression: '),
                            (("--tail", "x"), '--tail: "x": wanted a number such as 0 or 20'),
                            (("--rank", "3-1"), '--rank: "3-1": wanted ranks such as 0,3 or 0-7,12')):
            with self.subTest(words=words):
                done = adarun("logs", *words).expect(2)
                self.assertIn(told, done.stderr)

    def test_files_of_a_job_s_nodes_are_had_by_its_id(self):
        self.assertEqual(adarun("launch", "--hosts", self.hosts, "--", "true").returncode, 0)
        (self.there / "a.log").write_bytes(b"a\n")
        done = adarun("logs", "log_output", "--path", self.there, "--node", "node2", "--collect", "home")
        self.assertEqual((done.returncode, done.stdout), (0, "node2: 1 file, 2 bytes\n"), done.stderr)


# Writes some lines, and many more when told to: by then the supervisor is dead.
WRITER = """
import os, sys
rank, folder = os.environ["RANK"], sys.argv[1]
os.write(1, b"up\\n")
with open(f"{folder}/wrote_{rank}", "wb", buffering=0) as wrote:
    wrote.write(b"up\\n")
    for number in range(24000):
        if number in (0, 8000):
            with open(f"{folder}/go_{number}", "rb", 0) as go:
                go.readline()
        line = b"rank %s line %d\\n" % (rank.encode(), number)
        os.write(1, line)
        wrote.write(line)
os.kill(os.getpid(), 19)
"""
FIRST_BYTES = len("up\n") + sum(len(f"rank 0 line {number}\n") for number in range(8000))


class Collect(Case):
    def setUp(self):
        super().setUp()
        self.go = {number: self.fifo(f"go_{number}") for number in (0, 8000)}

    def spools(self):
        return glob.glob(os.path.join(os.environ["HOME"], ".cache/adarun/spool/*"))

    def lose_the_supervisor(self, *options, logged=FIRST_BYTES):
        """Kills a job's supervisor after `logged` bytes per rank, then lets ranks write the rest; returns the job's id."""
        before = set(self.spools())
        started = launch("--detach", "--lease", "5s", *options, "--", sys.executable, "-c", WRITER, self.folder, hosts=hosts(2))
        self.assertEqual(started.returncode, 0, started.stderr)
        job = started.stdout.strip()
        self.assertEqual(adarun("logs", job, "--collect").returncode, 3)
        self.go[0].write(b"\n" * 4)
        await_that(lambda: all(os.path.getsize(f"log_output/worker_{rank}.log") >= logged for rank in range(4)))
        pid = int(next(iter(adarun("ps", "--json").stdout.split('"pid": ')[1:])).split(",")[0])
        os.kill(pid, signal.SIGKILL)
        await_end(pid, time.monotonic() + DEADLINE_S)
        self.go[8000].write(b"\n" * 4)
        early = adarun("logs", job, "--collect").expect(3)
        self.assertIn("its agent still runs", early.stderr)
        self.assertEqual(survivors(deadline_s=60), [])
        self.assertEqual(len(set(self.spools()) - before), 2)
        self.assertEqual({os.stat(path).st_mode & 0o777 for path in self.spools()}, {0o700})
        return job

    def collect(self, job):
        before = len(self.spools())
        collected = adarun("logs", job, "--collect").expect(0)
        self.assertEqual(len(self.spools()), before - 2)
        return collected.stdout

    def test_logs_are_what_ranks_wrote_after_the_supervisor_was_killed(self):
        job = self.lose_the_supervisor()
        self.assertRegex(self.collect(job), r"node1: rank 0: \d+ bytes brought home")
        for rank in range(4):
            written, logged = read_bytes(f"wrote_{rank}"), read_bytes(f"log_output/worker_{rank}.log")
            # A rank that is killed between its two writes has one more line in its log.
            self.assertTrue(logged.startswith(written), f"rank {rank} wrote {len(written)}, logged {len(logged)} bytes")
            self.assertLess(len(logged) - len(written), 40)
        again = adarun("logs", job, "--collect")
        self.assertEqual((again.returncode, again.stdout.count("nothing was kept there")), (0, 2))

    def test_what_was_kept_lies_beside_logs_that_are_shortened(self):
        job = self.lose_the_supervisor("--log-limit", "50k", logged=25_001)  # One byte more than the first half of the limit.
        shortened = [read_bytes(f"log_output/worker_{rank}.log") for rank in range(4)]
        collected = self.collect(job)
        for rank in range(4):
            self.assertRegex(collected, rf"rank {rank}: \d+ bytes brought home, to worker_{rank}.kept.log, as --log-limit has")
            kept, written = read_bytes(f"log_output/worker_{rank}.kept.log"), read_bytes(f"wrote_{rank}")
            self.assertIn(written[FIRST_BYTES:], kept)
            self.assertIn(kept[:len(written) - FIRST_BYTES], written)
            self.assertEqual(read_bytes(f"log_output/worker_{rank}.log"), shortened[rank])
        self.assertEqual(adarun("logs", "--rank", "3").stdout.encode(), shortened[3])
