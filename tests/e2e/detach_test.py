# SPDX-License-Identifier: Apache-2.0
"""Jobs without a terminal: detach, ps, status, attach, stop."""
import contextlib
import fcntl
import json
import os
import pty
import re
import select
import signal
import struct
import subprocess
import termios
import time

from e2e import (DEADLINE_S, Case, adarun, adarun_command, await_end, await_full, await_that, hosts, launch, read_json,
                 start, state_of, survivors, write)

LINES = ("{begin}exec 3<{folder}/go; echo up; read -r go <&3; "
         "i=0; while [ $i -lt {lines} ]; do echo line $i; i=$((i+1)); done; {end}")


def stands_still(pid):
    """Whether all threads of a process are stopped."""
    states = set()
    for thread in os.listdir(f"/proc/{pid}/task"):
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):  # It has ended meanwhile.
            states.add(state_of(f"{pid}/task/{thread}"))
    return states == {"T"}


class Detached(Case):
    def setUp(self):
        super().setUp()
        self.go = self.fifo()  # Each rank waits for a line.
        self.state = os.path.join(self.folder, "state" + "e" * 120)  # Longer than a Unix socket address can be.
        self.env = {"XDG_STATE_HOME": self.state}

    def detach(self, *options, lines=0, end="exit 0", begin=""):
        """Starts a job whose ranks wait for `go`, print `lines` lines and run `end`; returns its id."""
        script = LINES.format(folder=self.folder, lines=lines, end=end, begin=begin)
        done = launch("--detach", *options, "--", "sh", "-c", script, hosts=hosts(1), env=self.env).expect(0)
        self.assertIn("all ranks have started", done.stderr)
        job = done.stdout.strip()
        self.addCleanup(self.end_supervisor, job)
        return job

    def job_file(self, job):
        return read_json(os.path.join(self.state, "adarun/jobs", job, "job.json"))

    def supervisor(self, job):
        return self.job_file(job)["supervisor"]["pid"]

    def hold(self, job):
        """Stops the supervisor; returns once all its threads are stopped, until which it may answer."""
        pid = self.supervisor(job)
        os.kill(pid, signal.SIGSTOP)
        await_that(lambda: stands_still(pid), "the supervisor is not stopped")

    def end_supervisor(self, job):
        with contextlib.suppress(ProcessLookupError, FileNotFoundError):  # Without a job.json it was pruned.
            os.kill(self.supervisor(job), signal.SIGKILL)

    def ask(self, *arguments):
        return adarun(*arguments, env=self.env)

    def await_lines(self, job):
        """Returns when status has the first line of both ranks, which may come after `detach` has returned."""
        def lines():
            ranks = json.loads(self.ask("status", job, "--json").expect(0).stdout)["ranks"]
            return [rank["last_line"] for rank in ranks]

        await_that(lambda: lines() == ["up", "up"], "no line of a rank", pause_s=0.05)

    def test_attach_ends_though_nobody_takes_in_its_output(self):
        job = self.detach(lines=20000)
        self.go.write(b"\n\n")
        with start("attach", job, env=self.env) as attached:
            await_full(attached.stdout)
            attached.send_signal(signal.SIGTERM)
            self.assertIn("continues; to see the rest", attached.stderr.read())
            self.assertEqual(attached.wait(DEADLINE_S), 0)
        self.assertEqual(self.ask("attach", job).returncode, 0)

    def test_attach_on_a_stopped_terminal_ends_when_it_is_told(self):
        job = self.detach()
        self.await_lines(job)
        ours, theirs = pty.openpty()
        with os.fdopen(ours, "rb", 0) as screen, os.fdopen(theirs, "wb", 0) as terminal, \
             start("attach", job, stdout=terminal, stderr=terminal, text=False, env=self.env) as attached:
            self.assertEqual(screen.read(1), b"u")
            termios.tcflow(terminal, termios.TCOOFF)  # As by Ctrl-S.
            attached.send_signal(signal.SIGTERM)
            self.assertEqual(attached.wait(DEADLINE_S), 130)
        self.go.write(b"\n\n")
        self.assertEqual(self.ask("attach", job).returncode, 0)

    def test_a_job_continues_and_attach_shows_all_of_it(self):
        job = self.detach(lines=1000)
        attached = [start("attach", job, env=self.env) for _ in range(2)]
        self.go.write(b"\n" * 2)
        for each in attached:
            output, _ = each.communicate(timeout=DEADLINE_S)
            self.assertEqual(each.returncode, 0)
            lines = output.splitlines()
            for line in ["up"] + [f"line {number}" for number in range(1000)]:
                self.assertEqual(lines.count(line), 2, line)
        again = self.ask("attach", job, "--from", "3").expect(0)
        self.assertEqual(again.stdout, output[3:])
        self.assertEqual(self.ask("attach", job, "--tail", "2").stdout.splitlines(), lines[-2:])
        self.assertEqual(self.ask("attach", job, "--from", "99999999").returncode, 2)

    def test_a_reader_that_goes_away_leaves_the_job_alone(self):
        job = self.detach(lines=20000)
        self.go.write(b"\n" * 2)
        with start("attach", job, env=self.env) as attached:
            attached.stdout.readline()
            attached.stdout.close()
            words = attached.stderr.read()
            self.assertEqual(attached.wait(DEADLINE_S), 128 + signal.SIGPIPE)
        self.assertEqual(words, "adarun: nobody reads the output any more\n")
        self.assertEqual(self.ask("attach", job).returncode, 0)

    def test_ctrl_c_leaves_the_job_and_says_where_to_go_on(self):
        job = self.detach()
        with start("attach", env=self.env) as attached:
            seen = attached.stdout.readline() + attached.stdout.readline()
            attached.send_signal(signal.SIGINT)
            rest, words = attached.communicate(timeout=DEADLINE_S)
        self.assertEqual(attached.returncode, 0)
        self.assertIn(f"adarun attach {job} --from {len(seen + rest)}", words)
        self.go.write(b"\n" * 2)
        more = self.ask("attach", job, "--from", len(seen + rest)).expect(0)
        self.assertEqual(self.ask("attach", job).stdout, seen + rest + more.stdout)

    def test_a_job_survives_the_shell_that_started_it(self):
        script = LINES.format(folder=self.folder, lines=10, end="exit 0", begin="")
        command = adarun_command("launch", "--detach", "--hosts", hosts(1), "--", "sh", "-c", script)
        with subprocess.Popen(["sh", "-c", '"$@"; cat', "sh", *command], stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, start_new_session=True,
                              env={**os.environ, **self.env}) as shell:
            job = shell.stdout.readline().strip()
            self.addCleanup(self.end_supervisor, job)
            os.killpg(shell.pid, signal.SIGHUP)
            os.killpg(shell.pid, signal.SIGKILL)
        self.go.write(b"\n" * 2)
        self.assertEqual(self.ask("attach", job).returncode, 0)

    def test_a_program_that_is_not_there_is_told_at_once(self):
        done = launch("--detach", "--", "no-such-program", hosts=hosts(1), env=self.env).expect(127)
        self.assertIn("no-such-program", done.stderr)
        self.assertEqual(done.stdout, "")

    def test_a_job_that_cannot_begin_leaves_nothing_in_the_index(self):
        write("log_output", "")
        for options in ((), ("--detach",)):
            done = launch(*options, "--", "true", hosts=hosts(1), env=self.env).expect(125)
            self.assertIn("log_output", done.stderr)
        self.assertEqual(os.listdir(os.path.join(self.state, "adarun/jobs")), [])

    def test_ps_and_status_tell_where_a_job_stands(self):
        self.assertEqual(self.ask("ps").returncode, 0)
        self.assertEqual(self.ask("status").returncode, 3)
        job = self.detach(end="exit 3")
        rows = [line.split() for line in self.ask("ps").stdout.splitlines()]
        self.assertEqual([rows[0][0], rows[1][0], rows[1][1]], ["JOB", job, "running"])
        self.assertEqual(json.loads(self.ask("ps", "--json").stdout)[0]["id"], job)
        self.await_lines(job)
        status = self.ask("status", job[:10]).expect(0)
        self.assertIn("running  [0-1]", status.stdout)
        self.assertRegex(status.stdout, r"(?m)^ +1  node2  running  - +- +\S+ \S+ ago +up$")
        self.go.write(b"\n" * 2)
        self.assertEqual(self.ask("attach", job).returncode, 3)
        status = self.ask("status").expect(1)
        self.assertIn("failed", status.stdout)
        self.assertIn("failed (3)", self.ask("ps").stdout)
        self.assertEqual(self.ask("status", "20991231").returncode, 3)

    def test_a_file_of_defaults_that_others_can_write_stops_only_what_reads_it(self):
        write(".adarun.json", "{}")
        os.chmod(".adarun.json", 0o666)
        self.assertEqual(self.ask("ps").returncode, 0)
        refused = launch("--", "true", hosts=hosts(1), env=self.env).expect(2)
        self.assertIn(".adarun.json: others can write it", refused.stderr)

    def test_a_folder_says_where_a_job_runs_and_gets_variables_once_it_is_allowed(self):
        def use(hostfile):
            write(".adarun.json", json.dumps({"hosts": hostfile}))

        def launched(*options):
            return adarun("launch", *options, "--", "sh", "-c", "echo $SECRET", env=self.env)

        hosts_of_both = os.environ["ADARUN_TEST_HOSTFILE"]
        use(hosts_of_both)
        said = f".adarun.json: sets where this job runs: --hosts {hosts_of_both}"
        done = launched().expect(0)
        self.assertIn(said, done.stderr)
        refused = launched("--env", "SECRET=42").expect(2, stdout="")
        self.assertIn("adarun config --allow", refused.stderr)
        self.assertEqual(adarun("config", "--allow", env=self.env).returncode, 0)
        done = launched("--env", "SECRET=42")
        self.assertEqual((done.returncode, done.stdout.splitlines()[:1]), (0, ["42"]), done.stderr)
        self.assertIn(said, done.stderr)
        use(hosts(1))
        self.assertEqual(launched("--env", "SECRET=42").returncode, 2, "another content has to be allowed anew")

    def test_numbers_that_are_none_are_told_in_a_line(self):
        for option, word in (("--tail", "x"), ("--from", "-1"), ("--tail", "3k")):
            done = self.ask("attach", option, word).expect(2)
            self.assertIn(f'{option}: "{word}": wanted a number such as 0 or 20', done.stderr)

    def test_stop_ends_a_job_and_waits_for_it(self):
        for options, begin in (((), ""), (("--now",), "trap '' TERM; ")):
            job = self.detach("--grace", "30s", begin=begin)
            stopped = self.ask("stop", *options).expect(0)
            self.assertRegex(stopped.stdout, rf"job {job}: interrupted after .*, 2 of 2 ranks stopped by adarun")
            attached = self.ask("attach", job).expect(128 + signal.SIGINT)
            self.assertIn("adarun: ended by adarun stop", attached.stdout)
            self.assertIn("has ended already", self.ask("stop", job).stdout)
            self.assertEqual(survivors(deadline_s=20), [])

    def test_several_jobs_are_stopped_at_once(self):
        one, two, three = (self.detach("--log-dir", name, "--name", name) for name in ("one", "two", "three"))
        os.mkdir("broken")
        write("broken/job.json", "half of a fi")
        stopped = self.ask("stop", "one", "none", "broken", "x" * 300, two, "two").expect(3)
        for words in ("none: no such job", "broken/job.json: not a JSON object", "x" * 300):
            self.assertIn(words, stopped.stderr)
        os.remove("broken/job.json")
        self.assertRegex(stopped.stdout, r"(?s)^job one: interrupted after .*\njob two: interrupted after [^\n]*\n$")
        self.assertEqual(self.ask("stop", "--all", three).returncode, 2)
        every = self.ask("stop", "--all").expect(0)
        self.assertRegex(every.stdout, r"^job three: interrupted after [^\n]*\n$")
        self.ask("stop", "--all").expect(0, stdout="no job runs\n")
        self.assertEqual(self.ask("ps", "-q").stdout.splitlines(), [three, two, one])
        self.assertEqual(survivors(deadline_s=20), [])

    def test_a_supervisor_that_stands_still_holds_up_no_other_that_is_stopped(self):
        one, two = (self.detach("--log-dir", name) for name in ("one", "two"))
        self.hold(one)
        with start("stop", one, two, text=False, env=self.env) as stop:
            await_end(self.supervisor(two), time.monotonic() + DEADLINE_S)
            self.assertEqual(select.select([stop.stderr], [], [], 0)[0], [], "the first is given up before the second is told")
            os.kill(self.supervisor(one), signal.SIGCONT)
            stop.communicate(timeout=DEADLINE_S)
        self.assertEqual(survivors(deadline_s=20), [])

    def test_a_job_of_another_index_is_known_by_its_log_folder(self):
        job = self.detach()
        status = adarun("status", "log_output").expect(0)
        self.assertIn(f"job {job}: running for ", status.stdout)
        stopped = adarun("stop", "log_output").expect(0)
        self.assertIn(f"job {job}: interrupted after ", stopped.stdout)

    def test_jobs_of_one_folder_have_logs_beside_each_other(self):
        names = ("lr1", "lr2", "")
        commands = [adarun_command("launch", *(["--name", name] if name else []), "--hosts", hosts(1), "--",
                                   "sh", "-c", f"exec 3<{self.folder}/go; echo up; read -r go <&3; echo of={name}") for name in names]
        with contextlib.ExitStack() as ending:
            jobs = [ending.enter_context(subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                                          text=True, env={**os.environ, **self.env})) for command in commands]
            for job in jobs:
                self.assertEqual(job.stdout.readline(), "up\n")
            self.go.write(b"\n" * 6)
            said = [job.communicate(timeout=DEADLINE_S)[1] for job in jobs]
            self.assertEqual([job.returncode for job in jobs], [0, 0, 0], said)
        folders = [words.rpartition(" are in ")[2].rstrip("/\n") or "log_output" for words in said]
        self.assertEqual(len(set(folders)), 3, said)
        self.assertIn("log_output", folders)
        for name, words, folder in zip(names, said, folders):
            self.assertRegex(folder, rf"^log_output(\.({name or '[0-9a-f-]+'}))?$")
            self.assertEqual(words.startswith("adarun: log_output/: another job writes there"), folder != "log_output", words)
            with open(f"{folder}/worker_1.log", encoding="utf-8") as log:
                self.assertEqual(log.read().splitlines()[-1], f"of={name}")

    def test_wait_ends_as_the_jobs_do(self):
        one, two = (self.detach("--name", name, end=end) for name, end in (("one", "exit 0"), ("two", "exit 5")))
        self.ask("wait", "two", "--timeout", "0.2s").expect(124, stderr="adarun: job two: still runs after 200 ms\n")
        with start("wait", "one", "two", env=self.env) as waiting:
            self.go.write(b"\n" * 4)
            _, said = waiting.communicate(timeout=DEADLINE_S)
        self.assertEqual(waiting.returncode, 5)
        self.assertRegex(said, r"^adarun: job one: done after .*\nadarun: job two: failed after .*, status 5\n$")
        self.assertEqual(self.ask("wait", one).returncode, 0)
        self.assertEqual(self.ask("wait").returncode, 5, "the newest")
        self.assertEqual(self.ask("wait", "none").returncode, 3)
        lost = self.detach("--name", "lost", "--lease", "3s")
        os.kill(self.supervisor(lost), signal.SIGKILL)
        self.assertIn("job lost: its supervisor is gone", self.ask("wait", "lost").expect(125).stderr)
        self.assertEqual(survivors(deadline_s=20), [])

    def test_ps_fits_its_terminal_and_says_what_it_leaves_out(self):
        for number in range(12):
            self.assertEqual(launch("--", "true", str(number), "x" * 60, hosts=hosts(1), env=self.env).returncode, 0)
        self.detach("--name", "sweep1")
        rows = self.ask("ps").stdout.splitlines()
        self.assertEqual((len(rows), rows[1].split()[:2], rows[-1]), (13, ["sweep1", "running"], "2 more have ended: adarun ps -a"))
        self.assertEqual(len(self.ask("ps", "-n", "3").stdout.splitlines()), 6)
        self.assertEqual(len(self.ask("ps", "-a", "-n", "3").stdout.splitlines()), 6)
        self.assertEqual(len(self.ask("ps", "--name", "sweep*").stdout.splitlines()), 2)
        self.assertEqual(len(self.ask("ps", "--state", "failed").stdout.splitlines()), 1)
        self.assertIn("log_output", rows[1], "a pipe has all columns")
        ours, theirs = pty.openpty()
        with os.fdopen(ours, "rb", 0) as screen, os.fdopen(theirs, "wb", 0) as terminal:
            fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
            subprocess.run(adarun_command("ps"), stdout=terminal, stdin=subprocess.DEVNULL, check=True, env={**os.environ, **self.env})
            shown = screen.read(1 << 16).decode().splitlines()
        self.assertEqual(len(shown), 13)
        self.assertLessEqual(max(map(len, shown)), 80)
        self.assertEqual(self.ask("stop", "--all").returncode, 0)

    def test_a_name_stands_for_the_newest_job_that_has_it(self):
        job = self.detach("--name", "run7")
        self.assertRegex(self.ask("ps").stdout, r"(?m)^run7  running ")
        self.assertIn(f"job run7 ({job}): running", self.ask("status", "run7").stdout)
        status = json.loads(self.ask("status", "run7", "--json").stdout)
        self.assertEqual([(rank["pid"] > 0, rank["device_id"]) for rank in status["ranks"]], [(True, 0), (True, 0)])
        taken = launch("--name", "run7", "--log-dir", "other", "--", "true", hosts=hosts(1), env=self.env).expect(125)
        self.assertIn(f"--name run7: job {job} has this name and runs", taken.stderr)
        self.assertFalse(os.path.exists("other"))
        for name, word in ((job, "looks like the id of a job"), (job[:4], "begins so"), ("a/b", "wanted a letter or digit")):
            refused = launch("--name", name, "--log-dir", "other", "--", "true", hosts=hosts(1), env=self.env).expect(2)
            self.assertIn(word, refused.stderr)
        self.assertEqual(self.ask("stop", "run7").returncode, 0)
        launch("--name", "run7", "--", "echo", "again", hosts=hosts(1), env=self.env).expect(0)
        self.assertEqual(self.ask("logs", "run7", "--rank", "0", "-n", "1").stdout, "again\n")
        self.assertEqual(self.ask("logs", job, "--rank", "0").stdout, "up\n")

    def test_one_of_two_that_start_at_once_has_the_name(self):
        script = LINES.format(folder=self.folder, lines=0, end="exit 0", begin="")
        commands = [adarun_command("launch", "--detach", "--name", "twin", "--log-dir", folder, "--hosts", hosts(1), "--",
                                   "sh", "-c", script) for folder in ("one", "two")]
        both = [subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                 text=True, env={**os.environ, **self.env}) for command in commands]
        ended = sorted((each.wait(DEADLINE_S), *each.communicate()) for each in both)
        self.assertEqual([status for status, *_ in ended], [0, 125], ended)
        job = ended[0][1].strip()
        self.addCleanup(self.end_supervisor, job)
        self.assertEqual(ended[1][2],
                         f"adarun: --name twin: job {job} has this name and runs; choose another, or stop that job\n")
        self.assertEqual(self.ask("stop", "twin").returncode, 0)

    def test_a_job_that_waits_for_a_restart_counts_as_running(self):
        job = self.detach("--name", "run7", "--restarts", "1", "--restart-delay", "10m", end="exit 3")
        self.go.write(b"\n" * 2)
        await_that(lambda: self.job_file(job)["state"] != "running")
        self.assertEqual(self.job_file(job)["state"], "failed")
        self.assertIn("failed (3), may continue", self.ask("ps").stdout)
        self.assertEqual(launch("--name", "run7", "--log-dir", "other", "--", "true", env=self.env).returncode, 125)
        self.assertEqual(self.ask("prune", "run7", "--yes").returncode, 3)
        self.assertEqual(self.ask("prune", "--keep", "0", "--yes").stdout, "nothing to remove\n")
        stopped = self.ask("stop", "--all").expect(0)
        self.assertIn("job run7: interrupted after", stopped.stdout)
        self.assertEqual(self.ask("attach", job).returncode, self.job_file(job)["job_end"]["status"])
        self.assertIn("removed 1 job", self.ask("prune", "run7", "--yes").stdout)

    def test_prune_removes_what_has_ended_and_nothing_that_runs(self):
        for word in ("first", "second"):
            self.assertEqual(launch("--", "echo", word, hosts=hosts(1), env=self.env).returncode, 0)
        running = self.detach("--name", "run7")
        ended = self.ask("ps", "-q").stdout.split()[1:]
        shown = self.ask("prune").expect(0)
        self.assertIn("would remove 2 jobs", shown.stdout)
        self.assertNotIn(running, shown.stdout)
        self.assertEqual(self.ask("prune", "--older-than", "1h", "--yes").stdout, "nothing to remove\n")
        self.assertEqual(len(os.listdir(self.folder)), 5)  # go, the state, three log folders.
        self.ask("prune", "run7", "--yes").expect(3, stderr="adarun: job run7: runs; stop it first\n")
        for options, job in ((("log_output", "--keep", "1"), ended[1]), ((), ended[0])):
            rows = self.ask("prune", *options, "--yes").stdout.splitlines()
            self.assertEqual((len(rows), rows[1].split()[0]), (3, job))
        self.assertEqual(self.ask("ps", "-q").stdout, f"{running}\n")
        self.assertEqual(sorted(os.listdir(self.folder))[:2], ["go", "log_output"])
        self.assertEqual(self.ask("stop", "run7").returncode, 0)
        self.assertEqual(self.ask("logs", "run7", "--rank", "0").stdout, "up\n")

    def test_stop_reaches_a_job_in_a_terminal(self):
        script = LINES.format(folder=self.folder, lines=0, end="exit 0", begin="")
        with start("launch", "--hosts", hosts(1), "--", "sh", "-c", script, stderr=subprocess.DEVNULL, env=self.env) as job:
            self.assertEqual(job.stdout.readline(), "up\n")
            self.assertIn("not started with --detach", self.ask("attach").stderr)
            self.assertEqual(self.ask("stop").returncode, 0)
            self.assertEqual(job.wait(DEADLINE_S), 128 + signal.SIGINT)

    def test_a_supervisor_that_is_killed_is_told_from_one_that_runs(self):
        job = self.detach("--lease", "3s")
        pid = self.supervisor(job)
        os.kill(pid, signal.SIGKILL)
        await_end(pid, time.monotonic() + DEADLINE_S)
        status = self.ask("status", job).expect(1)
        self.assertIn("running  [0-1]\n  these are the states that it wrote last", status.stdout)
        self.assertIn("lost", self.ask("ps").stdout)
        attached = self.ask("attach", job).expect(125)
        self.assertIn("its supervisor is gone", attached.stderr)
        self.assertEqual(self.ask("stop", job).returncode, 0)
        self.assertEqual(survivors(deadline_s=20), [])

    def test_a_supervisor_that_stands_still_is_not_waited_for(self):
        # Its machine answers, so that the job is still there once it continues.
        for command, status in (("status", 0), ("stop", 128 + signal.SIGINT)):
            job = self.detach()
            self.hold(job)
            asked = self.ask(command, job).expect(3)
            self.assertIn("does not answer", asked.stderr)
            os.kill(self.supervisor(job), signal.SIGCONT)
            if status == 0:
                self.go.write(b"go\ngo\n")
            self.assertEqual(self.ask("attach", job).returncode, status)
            self.assertEqual(survivors(deadline_s=20), [])

    def test_a_supervisor_that_stands_still_once_it_was_told_to_stop(self):
        job = self.detach("--lease", "3s", "--grace", "8s", begin=f"trap 'echo told > {self.folder}/told' TERM; ",
                          end="while :; do sleep 60 & wait; done")
        self.go.write(b"go\ngo\n")
        with start("stop", job, stdout=None, env=self.env) as stop:
            await_that(lambda: os.path.exists("told"), "the ranks are not told to end")
            self.hold(job)
            _, stderr = stop.communicate(timeout=DEADLINE_S)
        self.assertEqual(stop.returncode, 3)
        self.assertIn("does not answer within 5 s; if it is suspended, kill -CONT", stderr)
        os.kill(self.supervisor(job), signal.SIGKILL)
        self.assertEqual(survivors(deadline_s=20), [])
