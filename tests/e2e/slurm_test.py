# SPDX-License-Identifier: Apache-2.0
"""--via slurm, inside jobs of a real Slurm over the test hosts."""
import glob
import json
import os
import shutil
import subprocess

from e2e import ALL_STARTED, DEADLINE_S, adarun, adarun_command, await_that, job_file, read, read_bytes, run, write
from slurm_case import Slurm, slurm

BIN = os.environ["ADARUN_TEST_BIN"]
SAVES = """trap 'echo saved; exit 0' TERM; echo up; while :; do sleep 0.05; done"""


class Launch(Slurm):
    def remove_what_a_killed_agent_leaves(self):
        for job in glob.glob(os.path.join(self.folder, "*", "job.json")):
            for place in "/dev/shm", "/tmp":
                for folder in glob.glob(f"{place}/adarun-*{json.loads(read(job))['id']}*/"):
                    shutil.rmtree(folder)

    def test_runs_on_the_nodes_and_slots_of_the_allocation(self):
        done = self.launch("--", "sh", "-c", 'echo "$RANK_ID/$RANK_SIZE $DEVICE_ID $(hostname) $MASTER_ADDR"').expect(0)
        self.assertEqual(sorted(done.stdout.splitlines()),
                         [f"{i}/4 {i % 2} node{i // 2 + 1} 10.77.0.2" for i in range(4)])
        self.assertEqual(self.log_of(3), "3/4 1 node2 10.77.0.2\n")

    def test_ranks_have_all_cpus_of_the_job_and_none_of_the_steps_variables(self):
        done = self.launch("--", "sh", "-c", "env | grep -E '^SLURM_(PROCID|STEP|LOCALID)' || echo none")
        self.assertEqual((done.returncode, done.stdout), (0, "none\n" * 4), done.stderr)

    def test_mpi_programs_find_each_other(self):
        done = self.launch("--", f"{BIN}/mpi_hello").expect(0)
        self.assertEqual(sorted(done.stdout.splitlines()), [f"rank {i} of 4: sum 6" for i in range(4)])

    def test_every_byte_comes_home(self):
        self.launch("--log-limit", "10M", "--", "sh", "-c", "seq 100000; printf '\\0\\001\\377\\r\\n\\004\\032end'",
                    tasks=1).expect(0)
        for rank in range(2):
            wanted = b"".join(b"%d\n" % i for i in range(1, 100001)) + b"\0\1\xff\r\n\4\32end"
            self.assertEqual(read_bytes(f"log_output/worker_{rank}.log"), wanted)

    def test_a_failure_is_named_as_ever(self):
        done = self.launch("--", "sh", "-c", f'{ALL_STARTED}; echo here; test $RANK != 3 || exit 7; exec sleep 600').expect(7)
        self.assertIn("adarun: rank 3 on node2 (device 1) failed first: exit code 7\n", done.stderr)
        self.assertIn("ranks 0-2 on node[1-2]: stopped by adarun", done.stderr)

    def test_some_of_the_nodes_and_a_table(self):
        adarun("ranktable", "gen", "--plain", "--hosts", "node2:1,node1:1", "-o", "table.json")
        done = self.launch("-r", "table.json", "--", "sh", "-c", 'echo "$RANK_ID $(hostname)"')
        self.assertEqual(sorted(done.stdout.splitlines()), ["0 node2", "1 node1"], done.stderr)
        self.launch("--exclude", "node1", "--hosts", "node1:1,node2:1", "--", "hostname").expect(0, stdout="node2\n")

    def test_nodes_say_themselves_how_many_cpus_of_the_job_they_have(self):
        written = self.launch("--hosts", "node[1-2]:1", "--", "nproc", tasks=1)
        done = self.launch("--hosts", "node[1-2]:cpu", "--", "hostname", tasks=1).expect(0)
        self.assertEqual(len(done.stdout.splitlines()), sum(map(int, written.stdout.split())), written.stderr)
        said = self.launch("--nproc-per-node", "auto", "--", "true", tasks=1)
        self.assertEqual((said.returncode, said.stderr), (2, "adarun: --nproc-per-node auto: node1 has its devices in the list; "
                                                             "in a Slurm job: --hosts node[1-2]:auto\n"))

    def test_check_looks_at_the_nodes_of_the_job(self):
        done = slurm("salloc", "-Q", "-N2", *adarun_command("check", "--via", "slurm"), check=False)
        self.assertRegex(done.stdout, r"reachable +all nodes: yes")
        self.assertIn("2 nodes: 0 wrong", done.stdout)

    def test_a_node_of_the_allocation_joins(self):
        program = adarun_command()[0]
        script = f"""export XDG_STATE_HOME={self.folder}/state
            {program} launch --detach --via slurm --hosts node1:1 -- sleep 600 >/dev/null
            {program} resize --add node2:1 --now
            {program} resize --add node9 --now
            {program} stop >/dev/null"""
        done = slurm("salloc", "-Q", "-N2", "--ntasks-per-node=2", "sh", "-c", script)
        self.assertIn("node2 joins, and the job continues with 2 ranks on 2 nodes", done.stdout + done.stderr)
        self.assertRegex(done.stderr, "node9.*; the job continues as it was")

    def test_continues_when_slurm_takes_a_node_away(self):
        waits = 'test "$RANK_SIZE" = 4 || exit 0; touch "up$RANK_ID"; exec sleep 600'
        command = adarun_command("launch", "--via", "slurm", "--min-nodes", 1, "--", "sh", "-c", waits)
        with subprocess.Popen(["salloc", "-Q", "--no-kill", "-N2", "--ntasks-per-node=2", *command],
                              stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as job:
            self.addCleanup(slurm, "scontrol", "update", "nodename=node2", "state=resume", check=False)
            self.addCleanup(self.remove_what_a_killed_agent_leaves)
            await_that(lambda: all(os.path.exists(f"up{rank}") for rank in range(4)))
            slurm("scontrol", "update", "nodename=node2", "state=down", "reason=test")
            _, stderr = job.communicate(timeout=DEADLINE_S)
        self.assertEqual(job.returncode, 0, stderr)
        self.assertIn("node2 is lost, and the job continues with 2 ranks on 1 node", stderr)


class Refused(Slurm):
    def test_in_one_line(self):
        cases = [
            (["--hosts", "node3:2", "--", "true"], 2, "node3: is no node of Slurm's job "),
            (["--agent", "/no/agent", "--hosts", "node1:1", "--", "true"], 125, "node1: no agent answered: "),
        ]
        for words, status, said in cases:
            done = self.launch(*words).expect(status)
            self.assertTrue(done.stderr.startswith(f"adarun: {said}"), done.stderr)

    def test_outside_of_an_allocation(self):
        done = adarun("launch", "--via", "slurm", "--", "true").expect(2)
        self.assertEqual(done.stderr, "adarun: SLURM_JOB_ID is not set: --via slurm runs inside an allocation, as in: "
                                      "salloc -N2 --ntasks-per-node=8 adarun launch --via slurm ./train\n")


class Ends(Slurm):
    def submit(self, *options):
        command = adarun_command("launch", "--via", "slurm", "--grace", "20s", "--log-dir", "log_output", "--", "sh", "-c", SAVES)
        write("job.sh", "#!/bin/sh\nexec " + " ".join(f"'{word}'" for word in command[:-1]) + ' "$SAVES"\n')
        done = run("sbatch", "--parsable", "-N2", "--ntasks-per-node=2", "-o", "said", *options, "job.sh",
                   env={"SAVES": SAVES.replace("$", "\\$")}).expect(0)
        await_that(lambda: all(os.path.exists(f"log_output/worker_{rank}.log") and self.log_of(rank).startswith("up\n")
                                    for rank in range(4)))
        return done.stdout.strip()

    def assert_saved(self):
        self.await_no_job()
        for rank in range(4):
            self.assertEqual([line for line in self.log_of(rank).splitlines() if line != "Terminated"], ["up", "saved"])
        self.assertNotEqual(job_file()["state"], "running")

    def test_the_warning_to_the_script_lets_ranks_save(self):
        job = self.submit()
        slurm("scancel", "--signal=TERM", "--batch", job)
        self.assert_saved()
        self.assertIn("adarun: interrupted by SIGTERM\n", read("said"))

    def test_a_cancelled_job_leaves_nothing(self):
        slurm("scancel", self.submit())
        self.await_no_job()


class Script(Slurm):
    """Submits scripts of adarun script sbatch."""

    def script(self, *options, program):
        adarun("script", "sbatch", *options, "-o", "job.sh", "--", *program).expect(0, stderr="adarun: wrote job.sh\n")
        slurm("shellcheck", "job.sh", check=False).expect(0, stdout="")

    def submit(self, *options):
        return slurm("sbatch", "--parsable", *options, "job.sh").stdout.strip()

    def said_by(self, job, name="adarun"):
        """Waits for the end of the job; returns its output."""
        self.await_no_job()
        return read(f"{name}-{job}.out")

    def log(self, job, rank):
        path = f"log_output.{job}/worker_{rank}.log"
        return read(path) if os.path.exists(path) else ""

    def test_runs_on_nodes_that_slurm_chooses(self):
        odd = ["a b", "it's", "$HOME", "two\nlines", "*", ""]
        self.script("--nodes", 2, "--ntasks-per-node", 2, "--name", "run-3",
                    program=["sh", "-c", 'echo "$RANK_ID/$RANK_SIZE $(hostname)"; printf "<%s>" "$@"', "I", *odd])
        job = self.submit()
        self.await_no_job()
        words = "".join(f"<{word}>" for word in odd)
        self.assertEqual([self.log(job, rank) for rank in range(4)],
                         [f"{rank}/4 node{rank // 2 + 1}\n{words}" for rank in range(4)], self.said_by(job, "run-3"))

    def test_asks_for_the_nodes_of_a_table_and_takes_their_ranks(self):
        adarun("ranktable", "gen", "--plain", "--hosts", "node2:1,node1:2", "-o", "table of mine.json")
        self.script("-r", "table of mine.json", "--time", "1:00", program=["sh", "-c", 'echo "$RANK_ID $(hostname) $DEVICE_ID"'])
        said = self.said_by(self.submit())
        self.assertEqual(sorted(said.splitlines()), ["0 node2 0", "1 node1 0", "2 node1 1"])

    def test_asks_for_the_hosts_of_a_list(self):
        self.script("--hosts", "node[1-2]:2", "--exclude", "node1", program=["hostname"])
        self.assertIn("#SBATCH --nodelist=node2\n", read("job.sh"))
        self.assertEqual(self.said_by(self.submit()), "node2\nnode2\n")

    def test_runs_the_programs_of_roles(self):
        show = 'echo "$0 $RANK: $ADARUN_ROLE $ADARUN_ROLE_RANK of $ADARUN_ROLE_SIZE"'
        self.script("--nodes", 2, "--ntasks-per-node", 2, "--role", "server=0",
                    program=["sh", "-c", show, "S", "--role", "worker=1-3", "--", "sh", "-c", show, "W"])
        self.assertEqual(sorted(self.said_by(self.submit()).splitlines()),
                         ["S 0: server 0 of 1", "W 1: worker 0 of 3", "W 2: worker 1 of 3", "W 3: worker 2 of 3"])

    def test_gives_the_status_of_the_first_failure(self):
        self.script("--nodes", 1, program=["sh", "-c", "exit 7"])
        done = slurm("sbatch", "--wait", "job.sh", check=False)
        self.assertEqual(done.returncode, 7)

    def test_has_the_ranks_warned_before_the_time_limit(self):
        # Slurm checks limits every 30 s: with TERM@120 it would send the signal before the ranks are up.
        shown = adarun("script", "sbatch", "--show-template").stdout
        warning = "{{#warning}}\n#SBATCH --signal=B:TERM@{{seconds}}\n{{/warning}}\n"
        self.assertEqual(shown.count(warning), 1)
        write("mine.sh", shown.replace(warning, "#SBATCH --signal=B:TERM@10\n"))
        self.script("--template", "mine.sh", "--nodes", 2, "--ntasks-per-node", 1, "--time", "1", program=["sh", "-c", SAVES])
        job = self.submit()
        said = self.said_by(job)
        for rank in range(2):
            lines = [line for line in self.log(job, rank).splitlines() if line != "Terminated"]
            self.assertEqual(lines, ["up", "saved"], said)
        self.assertIn("adarun: interrupted by SIGTERM\n", said)
