# SPDX-License-Identifier: Apache-2.0
"""What ranks get on their nodes (cores, limits), and how their ends are reported. A hanging job is ended; the message names the
rank that blocks the others and where it waits."""
import contextlib
import json
import os
import signal
import subprocess
import sys
import unittest

from e2e import ALL_STARTED, DEADLINE_S, Case, adarun, await_full, events, hosts, job_file, launch, read, start, write

# The memory controller of cgroup v1, which some machines have beside cgroup v2.
MEMORY_GROUPS = "/sys/fs/cgroup/memory"


@contextlib.contextmanager
def memory_group(limit_bytes):
    """The folder of a control group that limits the memory of its processes, in sum."""
    path = os.path.join(MEMORY_GROUPS, f"adarun-test-{os.getpid()}-{os.path.basename(os.getcwd())}")
    os.mkdir(path)
    try:
        write(os.path.join(path, "memory.limit_in_bytes"), str(limit_bytes))
        yield path
    finally:
        os.rmdir(path)


class Report(Case):
    def test_tells_the_first_failure_from_those_that_follow_and_those_that_were_stopped(self):
        script = (f'test $RANK != 3 || trap "exit 5" TERM; {ALL_STARTED}; '
                  'case $RANK in 1) exit 0;; 2) sleep 1; echo last words; exit 7;; esac; while :; do sleep 0.1; done')
        done = launch("--", "sh", "-c", script, hosts=hosts(2)).expect(7)
        for line in ("rank 2 on node2 (device 0) failed first: exit code 7", "the last line of rank 2:",
                     "    last words", "rank 1 on node1: had ended well", "ranks 0,3 on node[1-2]: stopped by adarun"):
            self.assertIn(f"adarun: {line}\n", done.stderr)
        self.assertRegex(done.stderr, r"the job of 4 ranks on 2 nodes ended after .*; logs in log_output/")
        first = job_file()["first_failure"]
        self.assertEqual((first["rank"], first["node"], first["last_lines"]), (2, "node2", ["last words"]))

    def test_times_every_end_by_both_clocks(self):
        launch("--", "sh", "-c", "sleep 0.3; exit $RANK", hosts=hosts(1)).expect(1)
        for rank in job_file()["ranks"]:
            end = rank["ended"]
            self.assertGreaterEqual(end["bound_ns"], 0)
            # Both hosts have this machine's clock, so the true offset is 0 and within any bound.
            self.assertLessEqual(abs(end["launcher_ns"] - end["node_ns"]), end["bound_ns"])

    def test_tells_a_kill_by_somebody_else(self):
        done = launch("--", "sh", "-c", "kill -9 $$", hosts=hosts(1, "node1")).expect(137)
        self.assertRegex(done.stderr, r"failed first: SIGKILL \(Killed\), (not by adarun|most likely out of memory)")

    @unittest.skipUnless(os.access(MEMORY_GROUPS, os.W_OK), "no memory control group to write to")
    def test_tells_a_kill_for_want_of_memory(self):
        hog = "import sys; open(sys.argv[1], 'w').write('0'); print('in', flush=True); b = bytearray(1 << 28)"
        with memory_group(64 << 20) as group:
            done = launch("--", sys.executable, "-c", hog, os.path.join(group, "cgroup.procs"), hosts=hosts(1, "node1"))
        self.assertEqual(done.returncode, 137, done.stderr)
        self.assertRegex(done.stderr, r"SIGKILL \(Killed\).* out of memory")

    def test_names_the_core_that_a_rank_left(self):
        pattern = read("/proc/sys/kernel/core_pattern").strip()
        if pattern != "core":
            self.skipTest(f"cores go elsewhere here: {pattern}")
        done = launch("--ulimit", "core=unlimited", "--", "sh", "-c", "kill -SEGV $$", hosts=hosts(1, "node1")).expect(139)
        self.assertRegex(done.stderr, rf"SIGSEGV \(Segmentation fault\), core dumped: {self.folder}/core")

    def test_is_one_json_object_on_stdout_where_asked_for(self):
        done = launch("--json", "--", "sh", "-c", "echo out; exit $RANK", hosts=hosts(1))
        told = json.loads(done.stdout)
        self.assertEqual((told["status"], told["first_failure"]["rank"]), (1, 1))
        self.assertIn("out\n", done.stderr)

    def test_is_given_up_by_a_signal_where_nobody_takes_it_in(self):
        with start("launch", "-n", 40, "--json", "--", "true", stderr=subprocess.DEVNULL, text=False, pipesize=4096) as job:
            await_full(job.stdout)
            job.send_signal(signal.SIGTERM)
            self.assertEqual(job.wait(DEADLINE_S), 0, "all ranks had ended well")

    def test_does_not_delay_the_timeout_where_nobody_takes_it_in(self):
        with start("launch", "-n", 40, "--json", "--timeout", "1s", "--", "sleep", "60", stderr=subprocess.DEVNULL,
                   text=False, pipesize=4096) as job:
            self.assertEqual(job.wait(DEADLINE_S), 124)


class Given(Case):
    def test_interfaces_unless_the_user_names_others(self):
        script = "echo $GLOO_SOCKET_IFNAME $NCCL_SOCKET_IFNAME $HCCL_SOCKET_IFNAME $OMPI_MCA_btl_tcp_if_include"
        done = launch("--", "sh", "-c", script, hosts=hosts(1))
        self.assertEqual(done.stdout, "eth0 =eth0 =eth0 10.77.0.0/16\n" * 2, done.stderr)
        done = launch("--env", "GLOO_SOCKET_IFNAME=ib0", "--env", "OMPI_MCA_btl_tcp_if_include=lo", "--", "sh", "-c",
                      script, hosts=hosts(1))
        self.assertEqual(done.stdout, "ib0 =eth0 =eth0 lo\n" * 2, done.stderr)

    def test_limits_and_mask(self):
        done = launch("--umask", "027", "--ulimit", "nofile=100:200", "--ulimit", "core=0", "--", "sh", "-c",
                      "umask; ulimit -Sn; ulimit -Hn; ulimit -c", hosts=hosts(1, "node1"))
        self.assertEqual(done.stdout.split(), ["0027", "100", "200", "0"], done.stderr)
        done = launch("--stdout", "pipe", "--", "sh", "-c", "test -p /dev/stdout && echo $RANK", hosts=hosts(2, "node1"))
        self.assertEqual(sorted(done.stdout.split()), ["0", "1"], done.stderr)
        for wrong in (["--stdout", "file"], ["--umask", "9"], ["--umask", "1000"], ["--ulimit", "nofile"], ["--ulimit", "tea=1"],
                      ["--ulimit", "nofile=2:1"], ["--bind", "socket"]):
            self.assertEqual(launch(*wrong, "--", "true").returncode, 2, wrong)

    def test_cpus_which_are_told(self):
        done = launch("-v", "--bind", "core", "--", "sh", "-c", "grep ^Cpus_allowed_list /proc/self/status",
                      hosts=hosts(1, "node1"))
        cpus = done.stdout.split()[1]
        self.assertIn(f", on CPUs {cpus}\n", done.stderr)
        self.assertIn(cpus, [event.get("cpus") for event in events()])
        self.assertIn(f"ADARUN_CPUS={cpus}\n", read("log_output/env_0.log"))

    def test_a_warning_where_they_outnumber_the_cores(self):
        if os.cpu_count() >= 32:
            self.skipTest("too many cores here")
        done = launch("--bind", "core", "--", "true", hosts=hosts(32, "node1"))
        self.assertRegex(done.stderr, r"adarun: node1: --bind: 32 ranks share \d+ cores?")


# Rank 1 stops after its first line; the others print one more and wait for it.
SCRIPT = 'echo one; [ "$RANK" = 1 ] && tail -f /dev/null; echo two; exec tail -f /dev/null'

# All ranks print losses until there is a file "enough"; rank 2 does something else after a while.
STRAGGLER = """
i=0
while [ ! -e enough ]; do
  i=$((i+1))
  if [ $RANK != 2 ] || [ $i -lt 40 ]; then echo "epoch: 1 step: $i, loss is 0.5"; else %s; fi
  sleep 0.1
done
"""


class Hang(Case):
    def test_names_the_rank_that_is_furthest_behind_and_where_it_waits(self):
        done = adarun("launch", "--hosts", hosts(2), "--hang-timeout", "1s", "--", "sh", "-c", SCRIPT).expect(124)
        self.assertRegex(done.stderr, r"adarun: rank 1 on node1 \(device 1\) hangs: silent for \d.*, as are all ranks")
        self.assertRegex(done.stderr, r"process \d+: tail\n(?s:.*)command line of process \d+: tail -f /dev/null\n")
        self.assertRegex(read(os.path.join("log_output", "hang_1.txt")), r"(?s)State:.*sleeping.*waits in the kernel in ")

    def hang(self, count, program, debugger):
        """The files of a hanging job of so many ranks on a node with that script as its gdb."""
        self.add_to_path_of_nodes()
        write("gdb", "#!/bin/sh\n" + debugger)
        os.chmod("gdb", 0o755)
        adarun("launch", "--hosts", hosts(count, "node1"), "--hang-timeout", "1s", "--", *program).expect(124)
        return [read(os.path.join("log_output", f"hang_{rank}.txt")) for rank in range(count)]

    def test_examines_a_rank_itself_though_it_has_child_processes(self):
        rank = "import subprocess, sys; subprocess.Popen(['true']); subprocess.Popen(['tail', '-f', '/dev/null']); sys.stdin.read()"
        long_word = "x" * 100_000
        text, = self.hang(1, ("sh", "-c", 'mkfifo pipe; "$@" <>pipe; :', "sh", sys.executable, "-c", rank, long_word),
                          'echo "ptrace: not today." >&2')
        self.assertRegex(text, r"^process \d+: sh: waits for process \d+\nprocess \d+: \S*python\S*\nState:\tS")
        self.assertRegex(text, r"\ncommand line of process \d+: \S*python\S* -c import subprocess.*x\.\.\.\n"
                               r"command line of process \d+: sh -c .*\.\.\.\n")
        self.assertRegex(text, r"\nchild process \d+: S \(sleeping\), in the kernel in \w+: tail -f /dev/null\n")
        self.assertTrue(text.endswith("\ngdb:\n  has shown no stack: ptrace: not today.\n"), text)

    def test_knows_the_facts_of_all_ranks_and_the_frames_so_far_of_a_debugger_that_hangs(self):
        texts = self.hang(4, ("tail", "-f", "/dev/null"), "echo '#0 read ()'; exec tail -f /dev/null")
        for text in texts:
            self.assertRegex(text, r"^process \d+: tail\nState:\tS")
        self.assertEqual(sum(text.endswith("\ngdb:\n#0 read ()\ngdb: has not ended within 10 s\n") for text in texts), 1)
        late = "\nstack: no debugger was started within 10 s: other ranks of the node came first\n"
        self.assertEqual(sum(text.endswith(late) for text in texts), 3)

    def test_keeps_the_first_of_much_that_a_debugger_prints(self):
        text, = self.hang(1, ("tail", "-f", "/dev/null"), "yes '#0 read ()'")
        self.assertGreater(text.count("#0 read ()\n"), 4000)
        self.assertTrue(text.endswith("\n... the rest of this output is cut off\n"), text[-100:])

    def test_a_job_that_prints_does_not_hang(self):
        script = "for i in 1 2 3 4 5 6 7 8; do echo line; sleep 0.5; done"
        adarun("launch", "--hosts", hosts(1), "--hang-timeout", "3s", "--", "sh", "-c", script).expect(0)

    @contextlib.contextmanager
    def straggling(self, behaviour):
        """A job in which rank 2 falls behind; yields stderr up to the report on it."""
        with start("launch", "--hosts", hosts(2), "--hang-timeout", "1s", "--", "sh", "-c", STRAGGLER % behaviour,
                   stdout=subprocess.DEVNULL) as job:
            words = ""
            for line in job.stderr:
                words += line
                if "waits in the kernel" in line:
                    break
            yield words
            write("enough", "")
            self.assertNotIn("rank 2", job.stderr.read())
            self.assertEqual(job.wait(DEADLINE_S), 0, "the job continues")

    def test_a_silent_rank_among_others_that_go_on_is_named_once_and_not_stopped(self):
        with self.straggling(":") as words:
            self.assertRegex(words, r"adarun: rank 2 on node2 \(device 0\) has been silent for \d.* "
                                    r"\(its last step is 39\), while most ranks continue; the job continues, too\n"
                                    r"adarun: rank 2, as it stands:\nadarun:     process \d+: ")
            status = json.loads(adarun("status", "--json").stdout)
        ranks = status["ranks"]
        self.assertEqual(ranks[2]["step"], 39)
        for time in ("silent_ms", "since_step_ms"):
            self.assertGreaterEqual(ranks[2][time], 1000)
            self.assertLess(ranks[1][time], ranks[2][time])
        self.assertGreater(ranks[1]["step"], 39)
        self.assertEqual([(event["rank"], event["why"]) for event in events("examined")], [(2, "stays_behind")])

    def test_a_rank_that_prints_but_makes_no_step_is_named(self):
        with self.straggling("echo waiting") as words:
            self.assertRegex(words, r"rank 2 on node2 \(device 0\) prints, but has made no step for \d.* "
                                    r"\(its last step is 39\), while most ranks continue")
            text = adarun("status").stdout
        self.assertRegex(text, r"(?m)^ +2  node2  running +39  \S+ s ago +\S+ ms ago +waiting$")
