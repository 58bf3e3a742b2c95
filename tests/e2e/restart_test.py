# SPDX-License-Identifier: Apache-2.0
"""A failing job is restarted, up to --restarts times."""
import glob
import json
import os
import signal

from e2e import DEADLINE_S, Case, adarun, await_that, hosts, read_json, start, write

# Fails in the first two runs.
THIRD_TIME_LUCKY = '[ "$ADARUN_RESTART_COUNT" -ge 2 ] || exit 9; echo "run $ADARUN_RESTART_COUNT"'


class Restart(Case):
    def launch(self, *options, program=("sh", "-c", THIRD_TIME_LUCKY)):
        return adarun("launch", "--hosts", hosts(1), "--restart-delay", "10ms", *options, "--", *program)

    def statuses(self):
        """The exit statuses of all runs, latest first."""
        found = []
        for job in sorted(glob.glob("log_output*/job.json"), key=os.path.getmtime, reverse=True):
            found.append(read_json(job)["status"])
        return found

    def test_runs_it_until_it_goes_well_and_keeps_every_log(self):
        done = self.launch("--restarts", 5).expect(0)
        self.assertEqual(done.stdout, "run 2\nrun 2\n")
        self.assertIn("restart 2 of 5 in 20 ms; the logs of this run will be in log_output.", done.stderr)
        self.assertEqual(self.statuses(), [0, 9, 9])

    def test_every_run_has_the_variables_of_a_file_that_can_be_read_once(self):
        os.mkfifo("variables")
        with start("launch", "--hosts", hosts(1, "node1"), "--restarts", 1, "--restart-delay", "10ms", "--env-file",
                   "variables", "--", "sh", "-c", 'echo "$WORD"; exit "$((1 - ADARUN_RESTART_COUNT))"', stderr=None) as job:
            write("variables", "WORD=two words\n")
            self.assertEqual(job.communicate(timeout=DEADLINE_S)[0], "two words\ntwo words\n")
        self.assertEqual(job.returncode, 0)

    def test_waits_for_no_reader_that_stands_still(self):
        program = 'head -c 300000 /dev/zero | tr "\\0" x; test $ADARUN_RESTART_COUNT = 1 || exit 9; echo >{}/again'
        with start("launch", "--hosts", hosts(1, "node1"), "--restarts", 1, "--restart-delay", "10ms", "--", "sh", "-c",
                   program.format(self.folder), text=False) as job:
            await_that(lambda: os.path.exists("again"), "the restart waits for who reads stdout")
            _, err = job.communicate(timeout=DEADLINE_S)
        self.assertEqual(job.returncode, 0, err)
        self.assertIn(b"not all output could be written there; the logs have it", err)

    def test_gives_up_after_the_last_restart(self):
        self.launch("--restarts", 1).expect(9)
        self.assertEqual(self.statuses(), [9, 9])

    def test_does_not_run_again_what_another_run_would_not_change(self):
        for options, program, status in ((["--no-restart-on", "2,9"], ("sh", "-c", THIRD_TIME_LUCKY), 9),
                                         ([], ("no-such-program",), 127),
                                         (["--workdir", "/no/such/folder"], ("true",), 125),
                                         (["--ulimit", "nofile=999999999"], ("true",), 125),
                                         (["--timeout", "200ms"], ("sleep", "60"), 124)):
            done = self.launch("--restarts", 3, *options, program=program).expect(status)
            self.assertNotIn("restart", done.stderr)

    def test_a_restart_that_cannot_begin_is_the_end_that_is_told_of(self):
        write("data", "")
        done = self.launch("--restarts", 1, "--stage", "data", program=("sh", "-c", f"rm -f {self.folder}/data; exit 9"))
        self.assertEqual(done.returncode, 125, done.stderr)
        self.assertIn("adarun: --stage data: No such file or directory\n", done.stderr)
        status = json.loads(adarun("status", "--json", "log_output").stdout)
        self.assertEqual((status["state"], status["status"]), ("failed", 125))
        self.assertIn("--stage data: No such file or directory", status["failures"])

    def test_the_timeout_ends_the_wait_for_a_restart(self):
        done = adarun("launch", "--hosts", hosts(1), "--restarts", 3, "--restart-delay", "1h", "--timeout", "3s", "--", "false")
        self.assertEqual(done.returncode, 124, done.stderr)
        self.assertIn("out of time: the job ran for 3 s", done.stderr)
        self.assertEqual(self.statuses(), [1])
        self.assertEqual(json.loads(adarun("status", "--json", "log_output").stdout)["status"], 124)

    def test_a_signal_ends_the_wait_for_a_restart(self):
        with start("launch", "--hosts", hosts(1), "--restarts", 3, "--restart-delay", "1h", "--", "false",
                   stdout=None) as job:
            while "restart 1 of 3 in 60 s" not in (line := job.stderr.readline()):
                self.assertNotEqual(line, "", "ended without a word of the restart")
            status = adarun("status", "log_output").expect(0)
            self.assertIn("still runs: another attempt may follow", status.stdout)
            other = adarun("launch", "--hosts", hosts(1), "--", "true").expect(0)
            self.assertRegex(other.stderr, r"^adarun: log_output/: another job writes there; the logs of this one are in log_output\.\S+/\n")
            other = adarun("launch", "--log-dir", "log_output", "--hosts", hosts(1), "--", "true").expect(125)
            self.assertIn("a running job writes there", other.stderr)
            job.send_signal(signal.SIGTERM)
            _, said = job.communicate(timeout=DEADLINE_S)
            self.assertEqual((job.returncode, said), (128 + signal.SIGTERM, "adarun: interrupted by SIGTERM\n"))
        self.assertEqual(self.statuses(), [1, 0])
        self.assertEqual(adarun("status", "log_output").returncode, 1)
