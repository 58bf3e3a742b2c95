# SPDX-License-Identifier: Apache-2.0
"""The logs of a job: by rank, node, time and pattern, one after the other or merged."""
import os
import re
import signal
import subprocess
import sys
import time

from e2e import DEADLINE_S, Case, adarun, adarun_command, await_full, hosts, launch, lines_of, read, run, start

# Each rank prints "up", then in the order of ranks a line of its own, then "end". After each line it waits until the time
# of that line is recorded, so that the next one is later. "gated": the test itself creates the files done_RANK.
TALKER = """
import os, re, sys, time
rank, folder, gated = int(os.environ["RANK"]), sys.argv[1], sys.argv[2:] == ["gated"]
end, said = time.monotonic() + 60, 0

def wait(holds):
    while not holds() and time.monotonic() < end:
        time.sleep(0.005)

def are_there(*names):
    return all(os.path.exists(f"{folder}/{name}") for name in names)

def mark(name):
    open(f"{folder}/{name}", "w").close()

def is_written_down():
    with open(f"{folder}/log_output/line_times.txt") as times:
        return sum(map(int, re.findall(rf" {rank}:(\\d+)", times.read()))) >= said

def say(text):
    global said
    print(text, flush=True)
    said += len(text) + 1
    wait(is_written_down)

say("up")
mark(f"up_{rank}")
wait(lambda: are_there(*(f"up_{each}" for each in range(4))) and (rank == 0 or are_there(f"done_{rank - 1}")))
say(f"rank {rank} speaks")
if not gated:
    mark(f"done_{rank}")
wait(lambda: are_there("done_3"))
say("end")
"""


def lines_of_ranks(merged):
    """(rank, line) of merged lines; a line that several ranks share is listed once for each, lowest rank first."""
    found = []
    for line in merged.splitlines():
        ranks, text = line[1:].split("] ", 1)
        for part in ranks.split(","):
            first, _, last = part.partition("-")
            found += [(rank, text) for rank in range(int(first), int(last or first) + 1)]
    return found


class Logs(Case):
    def assert_in_order(self, merged):
        """Checks the order of each rank's lines, and that ranks spoke one after another, however lines were folded."""
        found = lines_of_ranks(merged)
        for rank in range(4):
            self.assertEqual([text for who, text in found if who == rank], ["up", f"rank {rank} speaks", "end"])
        self.assertEqual([who for who, text in found if "speaks" in text], [0, 1, 2, 3])
        last = found.index((3, "rank 3 speaks"))
        self.assertTrue(all(found.index((rank, "end")) > last for rank in range(4)), merged)

    def talk(self):
        launch("--", sys.executable, "-c", TALKER, self.folder, hosts=hosts(2)).expect(0)

    def test_lines_are_put_in_order_by_the_time_they_came(self):
        self.talk()
        self.assert_in_order(adarun("logs", "--merge").stdout)
        self.assertEqual(adarun("logs", "--merge", "--node", "node2", "--grep", "speaks").stdout,
                         "[2] rank 2 speaks\n[3] rank 3 speaks\n")
        lines = lines_of("log_output/line_times.txt")
        self.assertEqual(lines[0], "adarun line times 1 -")
        third = next(line for line in lines[1:] if f" 2:{len(b'rank 2 speaks!')}" in line).split()[0]
        since = run("date", "-d", f"@{int(third) / 1000}", "+%F %T.%3N").expect(0).stdout.strip()
        late = lines_of_ranks(adarun("logs", "--merge", "--since", since).stdout)
        self.assertEqual([line for line in late if "speaks" in line[1]], [(2, "rank 2 speaks"), (3, "rank 3 speaks")])
        self.assertEqual(len(late), 6)
        self.assertEqual(adarun("logs", "--rank", "1-2", "--since", "1h", "--grep", "^rank").stdout,
                         "==> log_output/worker_1.log <==\nrank 1 speaks\n\n==> log_output/worker_2.log <==\nrank 2 speaks\n")

    def test_ranks_and_nodes_are_chosen(self):
        self.talk()
        self.assertEqual(adarun("logs", "--node", "node2", "--rank", "0,2", "--tail", "1").stdout, "end\n")
        for words, status, told in ((("--grep", "nobody"), 1, ""),
                                    (("--node", "node3"), 2, "--node node3: no node of job"),
                                    (("--node", "node2", "--rank", "0"), 2, "none of these ranks ran on node2"),
                                    (("--rank", "9"), 3, "no log of rank 9")):
            done = adarun("logs", *words)
            self.assertEqual((done.returncode, told in done.stderr), (status, True), done.stderr)
        os.remove("log_output/line_times.txt")
        done = adarun("logs", "--merge").expect(3)
        self.assertIn("nothing tells when its lines were printed", done.stderr)

    def test_several_jobs_are_printed_with_their_names(self):
        for name in ("one", "two"):
            self.assertEqual(launch("--name", name, "--log-dir", name, "--", "echo", name, hosts=hosts(1)).returncode, 0)
        done = adarun("logs", "one", "two", "none", "--rank", "1", "-n", "1")
        self.assertEqual((done.returncode, "none" in done.stderr), (3, True), done.stderr)
        self.assertEqual(done.stdout, f"==> one: {self.folder}/one/worker_1.log <==\none\n\n"
                                      f"==> two: {self.folder}/two/worker_1.log <==\ntwo\n")
        adarun("logs", "one", "two", "--tag-output", "--grep", "t.o").expect(0, stdout="[two:0] two\n[two:1] two\n")
        self.assertEqual(adarun("logs", "one", "two", "--grep", "nobody").returncode, 1)
        self.assertEqual(adarun("logs", "one", "two", "--follow").returncode, 2)

    def test_further_attempts_are_followed_and_no_last_word_is_lost(self):
        # Each attempt prints its last lines when it is let go, and ends at once.
        go = self.fifo()
        script = f'echo up $ADARUN_RESTART_COUNT; read x <{self.folder}/go; echo end $ADARUN_RESTART_COUNT; test $ADARUN_RESTART_COUNT = 2'
        followed = []
        with start("launch", "--hosts", "node1:1", "--restarts", 2, "--restart-delay", "10ms", "--", "sh", "-c", script,
                   stderr=subprocess.DEVNULL) as job:
            job.stdout.readline()
            with start("logs", "--follow", "--rank", 0, stderr=None) as follow:
                for _ in range(3):
                    followed.append(follow.stdout.readline())
                    go.write(b"\n")
                    followed.append(follow.stdout.readline())
                self.assertEqual(follow.wait(DEADLINE_S), 0)
            job.stdout.read()
            self.assertEqual(job.wait(DEADLINE_S), 0)
        self.assertEqual("".join(followed), "".join(f"up {number}\nend {number}\n" for number in range(3)))

    def test_merged_lines_are_followed_to_the_job_s_end(self):
        with start("launch", "--hosts", hosts(2), "--", sys.executable, "-c", TALKER, self.folder, "gated",
                   stderr=None) as job:
            job.stdout.readline()
            with start("logs", "--merge", "--follow", stderr=None) as follower:
                followed = ""
                for line in follower.stdout:
                    followed += line
                    for rank in re.findall(r"rank (\d) speaks", line):
                        open(f"done_{rank}", "wb").close()
                self.assertEqual(follower.wait(DEADLINE_S), 0)
            job.communicate(timeout=DEADLINE_S)
        self.assert_in_order(followed)

    def test_a_reader_that_leaves_ends_it(self):
        os.mkdir("log_output")
        with open("log_output/worker_0.log", "wb") as log:
            log.write(b"2026-11-21 10:00:00 text\n" * 1_000_000)
        with subprocess.Popen(adarun_command("logs", "--merge"), stdout=subprocess.PIPE) as run:
            run.stdout.readline()
            run.stdout.close()
            self.assertIn(run.wait(60), (0, -signal.SIGPIPE))

    def test_output_that_cannot_be_written_is_no_success(self):
        os.mkdir("log_output")
        with open("log_output/worker_0.log", "wb") as log:
            log.write(b"epoch: 1 step: 1, loss is 2.0\n")
        for command in (["logs", "--rank", "0"], ["logs", "--grep", "loss"], ["monitor", "--once", "log_output"]):
            with open("/dev/full", "wb") as full:
                done = subprocess.run(adarun_command(*command), stdin=subprocess.DEVNULL, stdout=full, stderr=subprocess.PIPE, text=True,
                                      timeout=DEADLINE_S, check=False)
            self.assertEqual((done.returncode, "stdout: not all could be written" in done.stderr), (3, True), done.stderr)

    def await_following(self, pid):
        """Returns when `logs` has printed what there is, and waits for more: it then takes signals itself."""
        end = time.monotonic() + DEADLINE_S
        blocked = 0
        while not blocked & 1 << signal.SIGTERM - 1:
            self.assertLess(time.monotonic(), end)
            blocked = int(re.search(r"SigBlk:\s*(\w+)", read(f"/proc/{pid}/status"))[1], 16)

    def test_a_signal_ends_it_while_its_reader_stands_still(self):
        os.mkdir("log_output")
        with open("log_output/worker_0.log", "wb", 0) as log:
            log.write(b"first\n")
            with start("logs", "--follow", "--rank", 0, stderr=None, text=False) as run:
                self.assertEqual(run.stdout.readline(), b"first\n")
                self.await_following(run.pid)
                log.write(b"x" * (1 << 20))
                await_full(run.stdout)
                run.terminate()
                self.assertEqual(run.wait(DEADLINE_S), 130)
