# SPDX-License-Identifier: Apache-2.0
"""adarun launch on two hosts over real ssh: where ranks run, what they see, and how their failures are reported."""
import glob
import json
import os
import re
import subprocess

from e2e import ALL_STARTED, DEADLINE_S, Case, adarun, adarun_command, hosts, launch, read, run, start, write


class Launch(Case):
    def test_starts_one_process_per_slot_on_each_host(self):
        done = launch("--", "sh", "-c", "echo $RANK of $WORLD_SIZE on $(hostname), local $LOCAL_RANK", hosts=hosts(2)).expect(0)
        said = [f"{rank} of 4 on node{1 + rank // 2}, local {rank % 2}" for rank in range(4)]
        self.assertEqual(sorted(done.stdout.splitlines()), said)
        self.assertEqual([self.log_of(rank).splitlines() for rank in range(4)], [[line] for line in said])

    def test_passes_arguments_as_they_are(self):
        arguments = ["a b", "", "$HOME", "'", "\"", "*", "ä", "-n", "\\", "[1,2]", "x\ny"]
        launch("--", "printf", "<%s>", *arguments, hosts=hosts(1, "node2")).expect(0)
        self.assertEqual(self.log_of(0), "".join(f"<{argument}>" for argument in arguments))

    def test_gives_ranks_the_environment_of_their_place(self):
        launch("--env", "COLOUR=dark blue", "--", "env", hosts=hosts(2)).expect(0)
        seen = dict(line.split("=", 1) for line in self.log_of(3).splitlines() if "=" in line)
        wanted = {"RANK": "3", "RANK_ID": "3", "RANK_SIZE": "4", "WORLD_SIZE": "4", "LOCAL_RANK": "1",
                  "LOCAL_WORLD_SIZE": "2", "GROUP_RANK": "1", "DEVICE_ID": "1", "DEVICE_NUM": "2", "SERVER_ID": "1",
                  "COLOUR": "dark blue", "PYTHONUNBUFFERED": "1", "GFORTRAN_UNBUFFERED_PRECONNECTED": "y",
                  "OMPI_UNIVERSE_SIZE": "4", "OMPI_APP_CTX_NUM_PROCS": "4", "OMPI_FIRST_RANKS": "0", "OMPI_COMMAND": None}
        self.assertEqual({name: seen.get(name) for name in wanted}, wanted)

    def test_ranks_have_the_limit_of_open_files_that_the_user_has(self):
        command = adarun_command("launch", "--via", "local", "--hosts", hosts(1), "--", "sh", "-c", "ulimit -Sn; ulimit -Hn")
        run("sh", "-c", 'ulimit -Sn 500 && ulimit -Hn 600 && exec "$@"', "sh", *command).expect(0)
        self.assertEqual(self.logs(2), ["500\n600\n"] * 2)

    def test_stages_the_rank_table_to_every_node(self):
        launch("--", "sh", "-c", 'cat "$RANK_TABLE_FILE"', hosts=hosts(1)).expect(0)
        for rank in range(2):
            table = json.loads(self.log_of(rank))
            self.assertEqual([server["server_id"] for server in table["server_list"]], ["node1", "node2"])

    def test_starts_ranks_by_a_rank_table(self):
        device = [[{"device_id": str(i), "device_ip": "", "rank_id": str(2 * node + i)} for i in (0, 1)] for node in (0, 1)]
        servers = [{"server_id": f"10.77.0.{2 + node}", "device": device[node]} for node in (0, 1)]
        table = {"version": "1.0", "server_count": "2", "server_list": servers, "status": "completed"}
        write("table.json", json.dumps(table))
        done = adarun("launch", "-r", "table.json", "--", "sh", "-c", "echo $RANK $(hostname)").expect(0)
        self.assertEqual(sorted(done.stdout.splitlines()), ["0 node1", "1 node1", "2 node2", "3 node2"])
        listed = adarun("launch", "-r", "table.json", "--hosts", "10.77.0.3,127.0.0.1,10.77.0.2", "--", "sh", "-c",
                        "echo $RANK $(hostname)")
        self.assertEqual(sorted(listed.stdout.splitlines()), sorted(done.stdout.splitlines()), listed.stderr)

    def test_starts_ranks_by_a_table_that_gen_made(self):
        adarun("ranktable", "gen", "--plain", "--hosts", hosts(8), "-o", "table.json").expect(0)
        adarun("ranktable", "validate", "--profile", "adasum", "table.json").expect(0)
        adarun("launch", "-r", "table.json", "--adasum", "--", "sh", "-c", "echo $RANK_ID $(hostname) $DEVICE_ID").expect(0)
        said = [f"{rank} node{1 + rank // 8} {rank % 8}\n" for rank in range(16)]
        self.assertEqual(self.logs(16), said)

    def test_shows_lines_while_the_job_runs(self):
        # perl buffers its output unless stdout is a terminal.
        os.mkfifo("fifo")
        script = 'print "go\\n"; open(my $fifo, "<", "fifo"); <$fifo>;'
        with start("launch", "--hosts", hosts(1, "node2"), "--workdir", self.folder, "--", "perl", "-e", script,
                   stderr=None) as job:
            self.assertEqual(job.stdout.readline(), "go\n")
            follow = ["tail", "-n", "+1", "-F", "log_output/worker_0.log"]
            with subprocess.Popen(follow, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as log:
                self.assertEqual(log.stdout.readline(), "go\n")
                log.kill()
            write("fifo", "end\n")
            job.communicate(timeout=DEADLINE_S)
        self.assertEqual(job.returncode, 0)

    def test_a_log_folder_of_an_ended_job_is_kept_beside_the_new_one(self):
        for word in ("first", "second"):
            self.assertEqual(launch("--", "echo", word, hosts=hosts(1)).returncode, 0)
        self.assertEqual(self.log_of(0), "second\n")
        old = glob.glob(os.path.join(self.folder, "log_output.*"))
        self.assertEqual(len(old), 1)
        self.assertEqual(self.log_of(0, old[0]), "first\n")


    def test_a_job_that_does_not_start_leaves_the_last_logs_in_place(self):
        self.assertEqual(launch("--", "echo", "good", hosts=hosts(1)).returncode, 0)
        for options, program, status in ((("--hosts", hosts(1), "--port", "9"), "true", 125),
                                         (("--hosts", hosts(8)), "no-such-program", 127),
                                         (("--hosts", hosts(1), "--timeout", "x"), "true", 2)):
            done = adarun("launch", *options, "--", program).expect(status)
            self.assertEqual(self.log_of(0), "good\n")
            if status != 2:
                folder = re.search(r"; logs in (log_output\.\S+)/", done.stderr)[1]
                self.assertTrue(os.path.exists(f"{folder}/adarun.log"))
        self.assertEqual(len(glob.glob("log_output.*")), 2)


def ranks_of_folded(text, word):
    """The ranks that have printed `word`, in lines such as "[0-2,5] word"."""
    spans = [span for ranks in re.findall(rf"(?m)^\[(\S+)\] {word}$", text) for span in ranks.split(",")]
    return sorted(rank for span in spans for rank in range(int(span.split("-")[0]), int(span.split("-")[-1]) + 1))


class Failure(Case):
    def test_first_failure_ends_the_job_and_is_named(self):
        script = f"echo rank $RANK is up; {ALL_STARTED}; test $RANK = 3 || exec tail -f /dev/null; echo no memory >&2; exit 7"
        done = launch("--", "sh", "-c", script, hosts=hosts(2)).expect(7)
        self.assertRegex(done.stderr, r"rank 3 on node2 \(device 1\).*exit code 7")
        self.assertIn("no memory", done.stderr)
        self.assertIn("ranks 0-2 on node[1-2]: stopped by adarun", done.stderr)

    def test_children_of_ranks_end_with_the_job(self):
        script = "setsid tail -f /dev/null & if [ $RANK = 1 ]; then exit 3; fi; wait"
        launch("--", "sh", "-c", script, hosts=hosts(1)).expect(3)

    def test_lines_are_folded_over_ranks_and_shown_of_some(self):
        script = 'echo hello; echo "$GROUP_RANK" >&2'
        done = launch("--fold", "--", "sh", "-c", script).expect(0)
        # On a busy machine ranks may print later than the others.
        self.assertEqual(ranks_of_folded(done.stdout, "hello"), [*range(16)])
        self.assertLess(len(done.stdout.splitlines()), 16)
        for node in (0, 1):
            self.assertEqual(ranks_of_folded(done.stderr, node), [*range(8 * node, 8 * node + 8)])
        done = launch("--show", "1,9", "--tag-output", "--", "sh", "-c", script)
        self.assertEqual(sorted(done.stdout.splitlines()), ["[1] hello", "[9] hello"])
        self.assertEqual(self.log_of(15).splitlines(), ["hello", "1"])

    def test_ranks_read_the_table_that_was_given_and_have_its_ranks(self):
        adarun("ranktable", "gen", "--plain", "--hosts", hosts(2), "-o", "table.json")
        adarun("ranktable", "convert", "table.json", "--to", "cloud", "-o", "cloud.json")
        text = read("cloud.json") + "\n"
        write("cloud.json", text)
        done = launch("-r", "cloud.json", "--show", "3", "--", "sh", "-c", 'cat "$RANK_TABLE_FILE"').expect(0)
        self.assertEqual(done.stdout, text)

    def test_a_rank_that_is_none_is_refused(self):
        for ranks in ("16", "0-x"):
            self.assertEqual(launch("--show", ranks, "--", "true").returncode, 2)
