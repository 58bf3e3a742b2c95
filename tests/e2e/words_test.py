# SPDX-License-Identifier: Apache-2.0
"""adarun's own messages: each step with -v, only failures with -q; adarun.log, the diagnostic log of a job; --trace, how long
each step of the start took, as a Chrome trace."""
import collections
import os
import re
import signal
import stat

from e2e import DEADLINE_S, Case, adarun, events, hosts, job_file, launch, lines_of, read, read_json, start, write_program


class Verbose(Case):
    def test_tells_each_step_on_stderr(self):
        done = launch("-v", "--mpi", "off", "--", "echo", "hello", hosts=hosts(1)).expect(0)
        self.assertEqual(done.stdout, "hello\n" * 2)
        for wanted in (r"job \S+: connecting to 2 nodes over SSH, at most 64 at once",
                       r"node1: connected after [\d.]+ m?s: adarun-agent [0-9.]+ on node1, pid \d+",
                       r"node2: set up, without a server for MPI: --mpi off",
                       r"rank 1 on node2 \(device 0\) started, pid \d+",
                       r"rank 1 on node2 \(device 0\) ended after [\d.]+ m?s: exit code 0",
                       r"the job of 2 ranks ended after .*: all exited 0; logs in log_output/"):
            self.assertRegex(done.stderr, f"(?m)^adarun: {wanted}$")
        self.assertEqual(len(events("ready")), 2)

    def test_tells_which_signals_went_out(self):
        script = "trap 'echo usr1 >&2; exit 7' USR1; echo up; while :; do sleep 0.05; done"
        with start("launch", "--verbose", "--hosts", hosts(1), "--", "sh", "-c", script) as job:
            self.assertEqual([job.stdout.readline() for _ in range(2)], ["up\n"] * 2)
            job.send_signal(signal.SIGUSR1)
            words = job.communicate(timeout=DEADLINE_S)[1]
        self.assertEqual(job.returncode, 7, words)
        self.assertIn("adarun: SIGUSR1 passed on to every rank\n", words)
        self.assertIn("adarun: stopping the job: TERM to every process, KILL after 5 s\n", words)
        self.assertEqual((len(events("forwarded")), len(events("stopping"))), (1, 1))


class Quiet(Case):
    def test_launch_says_nothing_of_its_own_but_failures(self):
        done = launch("-q", "--", "sh", "-c", "echo out; echo err >&2", hosts=hosts(1))
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "out\n" * 2, "err\n" * 2))
        failed = launch("--quiet", "--restarts", "1", "--restart-delay", "1ms", "--", "sh", "-c", "exit 3", hosts=hosts(1))
        self.assertEqual(failed.returncode, 3)
        self.assertIn("failed first: exit code 3", failed.stderr)
        self.assertNotIn("restart 1", failed.stderr)

    def test_launch_says_that_it_is_no_option_of_srun(self):
        done = adarun("launch", "-n", "1", "-q", "no_such_qos", "./train").expect(127)
        self.assertIn("No such file or directory", done.stderr)
        self.assertTrue(done.stderr.endswith("adarun: launch: -q is --quiet here, and \"no_such_qos\" behind it the program; "
                                             "for srun's -q, ask salloc or sbatch for nodes\n"), done.stderr)

    def test_train_shows_no_loss(self):
        write_program("trainer", ["echo 'epoch: 1 step: 1, loss is 2.5'", "echo err >&2"])
        command = ["train", "--trainer", os.path.join(self.folder, "trainer"), "--adasum-world", "any", "--hosts", hosts(1)]
        shown = adarun(*command)
        self.assertIn("loss 2.5", shown.stdout)
        self.assertIn("adarun: connected to all 2 nodes\n", shown.stderr)
        quiet = adarun(*command, "-q").expect(0, stdout="")
        self.assertEqual(sorted(quiet.stderr.splitlines()), ["[0] err", "[1] err"])

    def test_is_not_verbose(self):
        self.assertEqual(launch("-q", "-v", "--", "true").returncode, 2)


LINE = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z (debug|info|warning|error) +(\S+) (.+)")
SECRET = "hunter2-hunter2"


class Diagnostics(Case):
    def lines(self, folder="log_output"):
        """(level, node, text) of each line; fails if a line has another form."""
        found = [LINE.fullmatch(line) for line in lines_of(os.path.join(folder, "adarun.log"))]
        self.assertNotIn(None, found)
        return [match.groups() for match in found]

    def texts(self, level, node, folder="log_output"):
        return [text for each, whose, text in self.lines(folder) if (each, whose) == (level, node)]

    def test_a_job_is_logged_with_time_level_and_node_though_nobody_asks(self):
        launch("--", "true", hosts=hosts(2)).expect(0, stdout="", stderr="")
        for node in ("node1", "node2"):
            steps = " ".join(self.texts("debug", node))
            for step in ("address: ", "link: exchange keys (connect took ", "link: log in (exchange keys took ",
                         "link: logged in as root by key 1 of ours, ", "Hello: ", "agent: 2 processes forked in ", "Done"):
                self.assertIn(step, steps)
            self.assertEqual(len([text for text in self.texts("info", node) if text.startswith("connected after ")]), 1)
        self.assertIn("exit status 0", " ".join(self.texts("debug", "-")))
        self.assertEqual(stat.S_IMODE(os.stat("log_output/adarun.log").st_mode), 0o644)

    def test_verbose_shows_steps_and_twice_all_of_them(self):
        once = launch("-v", "--", "true", hosts=hosts(1))
        self.assertIn("adarun: node1: connected after ", once.stderr)
        self.assertNotIn("link: ", once.stderr)
        twice = launch("-vv", "--", "true", hosts=hosts(1))
        self.assertIn("adarun: node1: connected after ", twice.stderr)
        self.assertIn("adarun: node1: link: log in (exchange keys took ", twice.stderr)
        before = adarun("-v", "launch", "--hosts", hosts(1), "--", "true")
        self.assertIn("adarun: node1: connected after ", before.stderr)
        asked = adarun("check", "-vv", "--hosts", hosts(1))
        self.assertIn("adarun: node1: link: log in (exchange keys took ", asked.stderr)

    def test_each_run_of_a_job_has_its_own_and_keeps_it(self):
        script = "[ $ADARUN_RESTART_COUNT = 1 ] || { echo gone; exit 7; }"
        launch("--restarts", 1, "--restart-delay", "1ms", "--", "sh", "-c", script, hosts=hosts(1, "node1")).expect(0)
        old, = (name for name in os.listdir() if name.startswith("log_output."))
        self.assertIn("restart 1 of 1", " ".join(self.texts("warning", "-", old)))
        self.assertIn("exit status 7", " ".join(self.texts("debug", "-", old)))
        self.assertIn("exit status 0", " ".join(self.texts("debug", "-")))

    def test_no_secret_is_in_it(self):
        done = launch("--env", f"MY_TOKEN={SECRET}", "--", "sh", "-c", "echo $MY_TOKEN; exit 3", "sh", f"--password={SECRET}",
                      hosts=hosts(1)).expect(3)
        self.assertIn(SECRET, done.stderr)  # The rank printed it, and its output is shown unchanged.
        self.assertGreater(len(self.lines()), 10)
        self.assertNotIn(SECRET, read("log_output/adarun.log"))


WAY = ["connect", "exchange keys", "log in", "open channel", "login shell of root", "start the agent", "wait for all nodes", "set up",
       "fork ranks", "run"]


def rows_of(trace):
    """(process, row) -> its complete events ("ph": "X")."""
    rows = collections.defaultdict(list)
    for event in trace["traceEvents"]:
        if event["ph"] == "X":
            rows[event["pid"], event["tid"]].append(event)
    return rows


def names_of(trace, what):
    return {(event["pid"], event["tid"]): event["args"]["name"] for event in trace["traceEvents"]
            if event["ph"] == "M" and event["name"] == what}


class Trace(Case):
    def trace_of(self, *program):
        done = launch("--timeout", "30s", "--trace", "start.json", "--", *program, hosts=hosts(2))
        self.assertEqual((done.returncode, done.stderr), (0, "adarun: wrote start.json\n"))
        return read_json("start.json")

    def test_each_node_and_rank_has_its_steps_one_after_the_other(self):
        trace = self.trace_of("echo", "hello")
        processes = names_of(trace, "process_name")
        self.assertEqual(sorted(processes.values()), ["adarun", "node1", "node2"])
        rows = rows_of(trace)
        self.assertEqual([event["name"] for event in rows[0, 0]],
                         ["resolve names, plan", "connect all nodes", "start all ranks", "run"])
        for node in (1, 2):
            self.assertEqual([event["name"] for event in rows[node, 0]], WAY)
        threads = names_of(trace, "thread_name")
        self.assertEqual([threads[1 + rank // 2, 1 + rank] for rank in range(4)], [f"rank {rank}" for rank in range(4)])
        for rank in range(4):
            self.assertEqual([event["name"] for event in rows[1 + rank // 2, 1 + rank]],
                             ["start", "until it joins MPI or prints", "run"])
        self.expect_times_in_order(rows)

    def test_an_mpi_program_shows_when_it_joined_and_its_fences(self):
        program = os.path.join(os.environ["ADARUN_TEST_BIN"], "mpi_hello")
        if not os.path.exists(program):
            self.skipTest("built without MPI")
        trace = self.trace_of(program)
        rows = rows_of(trace)
        for rank in range(4):
            self.assertEqual([event["name"] for event in rows[1 + rank // 2, 1 + rank]],
                             ["start", "until it joins MPI or prints", "in MPI, until its first line", "run"])
        fences = [event for event in trace["traceEvents"] if event["ph"] == "i"]
        self.assertEqual(len(fences), 3)
        self.assertRegex(fences[0]["name"], r"^fence: [1-9]\d* bytes$")
        self.expect_times_in_order(rows)

    def expect_times_in_order(self, rows):
        end = max(event["ts"] + event["dur"] for event in rows[0, 0])
        for stretches in rows.values():
            moment = 0
            for stretch in stretches:
                self.assertGreaterEqual(stretch["ts"] + 0.002, moment, stretches)  # Microseconds, rounded.
                moment = stretch["ts"] + stretch["dur"]
                self.assertLessEqual(moment, end + 0.002)

    def test_a_file_that_cannot_be_written_fails_the_job(self):
        done = launch("--timeout", "30s", "--log-dir", "logs", "--trace", "no/such/folder/start.json", "--", "true", hosts=hosts(1))
        self.assertEqual(done.returncode, 125, done.stderr)
        self.assertIn("no/such/folder/start.json", done.stderr)
        record = job_file("logs")
        self.assertEqual([record["state"], record["status"], record["ranks"][0]["state"]], ["failed", 125, "done"])
