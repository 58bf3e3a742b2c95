# SPDX-License-Identifier: Apache-2.0
"""What ranks read from stdin: rank 0 a file, and a pipe where it is MPI's or asked for; a shell loop loses no line."""
import os
import pty
import subprocess
import sys

from e2e import DEADLINE_S, Case, adarun_command, hosts, read_bytes, run, write_lines

MPI_PROGRAM = os.path.join(os.environ["ADARUN_TEST_BIN"], "mpi_stdin")
HERE = ("--via", "local", "--hosts", "here:2")
WARNING = "stdin: not passed to ranks"


def shell(script, *words):
    """Runs a shell script whose $@ is adarun launch and `words`; its output as bytes."""
    return run("bash", "-c", script, "bash", *adarun_command("launch", *words), text=False)


class Files(Case):
    def setUp(self):
        super().setUp()
        write_lines("in.f", ["units lj", "run 7"])

    def test_rank_0_reads_the_file_and_others_nothing(self):
        done = shell('"$@" < in.f', "--tag-output", "--hosts", hosts(1), "--", "cat")
        self.assertEqual((done.returncode, done.stdout), (0, b"[0] units lj\n[0] run 7\n"), done.stderr)
        self.assertEqual(done.stderr, b"")

    def test_an_mpi_program_reads_it_after_init(self):
        shell('"$@" < in.f', *HERE, "--", MPI_PROGRAM).expect(0, stdout=b"read units lj\nread run 7\n")

    def test_a_shell_loop_loses_no_line(self):
        done = shell('while read -r line; do echo "$line"; "$@"; done < in.f', *HERE, "--", "true")
        self.assertEqual((done.returncode, done.stdout), (0, b"units lj\nrun 7\n"), done.stderr)
        self.assertEqual(done.stderr, b"")

    def test_each_attempt_reads_it_from_its_begin(self):
        script = 'read -r line; echo "$line"; exit $RANK$ADARUN_ATTEMPT'
        shell('"$@" < in.f', "--restarts", "1", "-n", "1", "--", "sh", "-c", script.replace(
     "exit $RANK$ADARUN_ATTEMPT", 'test -e again && exit 0; touch again; exit 3')).expect(0, stdout=b"units lj\nunits lj\n")

    def test_all_ranks_read_it_if_asked_for(self):
        shell('"$@" < in.f', "--stdin", "all", "--hosts", hosts(2), "--", "tail", "-n", "1").expect(0, stdout=b"run 7\n" * 4)

    def test_nobody_reads_it_if_asked_for(self):
        shell('"$@" < in.f', "--stdin", "none", *HERE, "--", "cat").expect(0, stdout=b"", stderr=b"")

    def test_a_detached_job_reads_it(self):
        shell('id=$("$@" < in.f) && exec "$0" attach "$id"'.replace('"$0"', f"'{adarun_command()[0]}'"),
              "--detach", "-n", "1", "--", "cat").expect(0, stdout=b"units lj\nrun 7\n")

    def test_a_large_file_arrives_whole(self):
        block = bytes(range(256)) * 40_000
        with open("large", "wb") as file:
            file.write(block)
        shell('"$@" < large | cmp - large && echo same', "--stdout", "pipe", "--hosts", hosts(1, "node2"), "--",
              "cat").expect(0, stdout=b"same\n")


class Streams(Case):
    def test_a_pipe_is_left_to_others(self):
        script = "printf 'one\\ntwo\\n' | while read -r line; do echo \"$line\"; \"$@\"; done"
        done = shell(script, *HERE, "--", "cat").expect(0, stdout=b"one\ntwo\n")
        self.assertEqual(done.stderr.decode().count(WARNING), 1, "the second time nothing is unread")

    def test_an_mpi_program_reads_a_pipe(self):
        done = shell("seq 3 | \"$@\"", *HERE, "--", MPI_PROGRAM).expect(0, stdout=b"read 1\nread 2\nread 3\n")
        self.assertEqual(done.stderr, b"")

    def test_rank_0_reads_a_pipe_if_asked_for(self):
        done = shell("seq 200000 | \"$@\" | tail -n 2", "--stdin", "0", "--hosts", hosts(1), "--", "sh", "-c",
                     'cat; echo "rank $RANK has read" >&2').expect(0, stdout=b"199999\n200000\n")
        self.assertEqual(done.stderr.count(b"has read"), 2)

    def test_all_ranks_read_a_pipe_if_asked_for(self):
        done = shell("seq 200000 | \"$@\"", "--stdin", "all", "--hosts", hosts(2), "--", "sh", "-c", "cat | md5sum")
        sums = done.stdout.split(b"\n")
        self.assertEqual((done.returncode, len(sums), len(set(sums[:-1]))), (0, 5, 1), (sums, done.stderr))

    def test_a_rank_that_reads_nothing_ends_all_the_same(self):
        shell("yes | \"$@\"", "--stdin", "0", *HERE, "--", "true").expect(0)

    def test_no_attempt_follows_once_a_pipe_is_read(self):
        done = shell("echo once | \"$@\"", "--stdin", "0", "--restarts", "3", "-n", "1", "--", "sh", "-c", "cat; exit 3")
        self.assertEqual((done.returncode, done.stdout), (3, b"once\n"), done.stderr)
        self.assertIn(b"not run again: ranks have read from stdin what cannot be read a second time", done.stderr)

    def test_a_terminal_is_not_read_unless_asked_for(self):
        for words, wanted in (([], b""), (["--stdin", "0"], b"typed\n")):
            controller, terminal = pty.openpty()
            os.write(controller, b"typed\n\x04")
            script = ("import os, sys, fcntl, termios; os.setsid(); fcntl.ioctl(0, termios.TIOCSCTTY, 0); "
                      "os.execv(sys.argv[1], sys.argv[1:])")
            done = subprocess.run([sys.executable, "-c", script, *adarun_command("launch", *words, *HERE, "--", "cat")],
                                  stdin=terminal, capture_output=True, timeout=DEADLINE_S, check=False)
            os.close(terminal)
            os.close(controller)
            self.assertEqual((done.returncode, done.stdout), (0, wanted), done.stderr)
            self.assertEqual(done.stderr, b"")


class Bytes(Case):
    """stdout of a job, where it is no terminal."""

    def test_has_the_bytes_of_a_rank_unchanged(self):
        script = ("import os, sys; data = os.urandom(300000) + b'x' * 65536 + b'\\n' + b'y' * 200000; "
                  "open('data', 'wb').write(data); sys.stdout.buffer.write(data)")
        for kind in ("terminal", "pipe"):
            done = shell('"$@" > out && cmp out data', "--stdout", kind, "-n", "1", "--", sys.executable, "-c", script)
            self.assertEqual((done.returncode, done.stdout), (0, b""), done.stderr)
            logs = run(*adarun_command("logs", "log_output"), text=False)
            self.assertTrue(logs.stdout == read_bytes("data"), "adarun logs")

    def test_has_a_line_end_between_ranks(self):
        shell('"$@"', *HERE, "--", "printf", "abc").expect(0, stdout=b"abc\nabc")
