# SPDX-License-Identifier: Apache-2.0
"""adarun demo, with its own sshd or without: the loss falls; however it ends, only its folder remains."""
import contextlib
import os
import pwd
import re
import shutil
import signal
import subprocess
import time
import unittest

from e2e import DEADLINE_S, Case, adarun, adarun_command, await_end, processes, run, start

# sshd ends a session within this time after its connection is closed; if it was cut, agents end after their lease of 10 s.
PATIENCE_S = 30


def of_demo():
    """Process id -> command line of what the demo started: includes sshd, but not the sshds of the test hosts."""
    hosts = os.path.join(os.environ["ADARUN_TEST_SCRATCH"], "node")
    return {pid: text for pid, text in processes(sshd=True).items() if hosts not in text}


def left_of_demo():
    """Command lines of processes that still run after PATIENCE_S."""
    end = time.monotonic() + PATIENCE_S
    while (alive := of_demo()) and time.monotonic() < end:
        await_end(next(iter(alive)), end)
    return sorted(alive.values())


class InHome(Case):
    """A test in a folder work/, of a user whose home is empty."""

    def setUp(self):
        super().setUp()
        for name in ("home", "work"):
            os.mkdir(name)
        os.chdir("work")
        self.environment = {"HOME": os.path.join(self.folder, "home")}

    def assert_all_is_gone(self):
        self.assertEqual(left_of_demo(), [])
        self.assertEqual(os.listdir(os.path.join(self.folder, "home")), [])
        self.assertEqual(os.listdir("."), ["adarun-demo"])

    @contextlib.contextmanager
    def demo_at_work(self, *words):
        """A running demo that has printed a loss, in a process group of its own."""
        with start("demo", *words, stderr=subprocess.STDOUT, env=self.environment, start_new_session=True) as demo:
            self.assertTrue(any(re.match("epoch .* loss ", line) for line in demo.stdout), "it ended without showing a loss")
            yield demo

    def assert_loss_falls(self, rank):
        log = self.log_of(rank, "work/adarun-demo/log_output")
        losses = [float(text) for text in re.findall(r"loss is (\S+)", log)]
        self.assertLess(losses[-1], losses[0] / 2)
        self.assertEqual(sorted(os.listdir("adarun-demo")), ["jobs", "log_output", "rank_table.json"])
        return log


class Demo(InHome):
    def test_brings_the_loss_down_and_leaves_only_its_folder(self):
        adarun("demo", env=self.environment).expect(0)
        self.assert_loss_falls(0)
        self.assert_all_is_gone()

    def test_an_interrupt_ends_it(self):
        with self.demo_at_work("--", "--epochs", "50") as demo:
            os.killpg(demo.pid, signal.SIGINT)
            demo.communicate(timeout=DEADLINE_S)
        self.assertEqual(demo.returncode, 130)
        self.assertEqual(sorted(os.listdir("adarun-demo")), ["jobs", "log_output", "rank_table.json"])
        self.assert_all_is_gone()

    def test_its_sshd_and_ranks_end_when_it_is_killed(self):
        with self.demo_at_work("--", "--epochs", "50") as demo:
            self.assertNotEqual(of_demo(), {})
            demo.send_signal(signal.SIGKILL)
        self.assert_all_is_gone()


class NoTrain(InHome):
    """The program inside adarun as every rank."""

    def demo(self, *options, before=(), program="adarun"):
        """A short demo, to its end; `before`: a command that executes it."""
        command = [*before, *adarun_command("demo", *options, "--", "--steps", "3")]
        command[len(before)] = os.path.join(os.path.dirname(command[len(before)]), program)
        return run(*command, env=self.environment, input="of a pipe")

    def copied(self, *names):
        """Copies programs, where they are, to a folder in which any user can execute them."""
        os.chmod(self.folder, 0o755)
        folder = os.path.join(self.folder, "bin")
        os.mkdir(folder, 0o755)
        for name in names:
            built = os.path.join(os.environ["ADARUN_TEST_BIN"], name)
            if os.path.exists(built):
                shutil.copy(built, folder)
        return os.path.join(folder, "adarun")

    def test_shows_falling_losses_of_16_ranks_over_ssh(self):
        done = self.demo("--no-train").expect(0)
        self.assertNotIn("stdin", done.stderr)
        self.assertIn("--no-train: every rank runs a program inside adarun that trains nothing", done.stdout)
        self.assertRegex(done.stdout, r"\$ adarun launch -r adarun-demo/rank_table.json --ssh-config \S+ --log-dir "
                                      r"adarun-demo/log_output -- \S+/adarun demo-rank --steps 3\n")
        self.assertIn("epoch 2 step 3  loss 0.0", done.stdout)
        self.assertIn("ranks       16, 16 with loss lines\n", done.stdout)
        self.assertIn("note        made-up losses, of a program that trains nothing\n", done.stdout)
        self.assertRegex(self.assert_loss_falls(3), "^rank 3 of 16, device 3 on ")
        self.assertRegex(self.assert_loss_falls(15), "^rank 15 of 16, device 7 on ")
        self.assert_all_is_gone()

    def test_runs_where_no_trainer_is(self):
        done = self.demo(program=self.copied("adarun", "adarun-agent")).expect(0)
        self.assertIn("\nadarun-trainer is not beside adarun: every rank runs a program inside adarun", done.stdout)
        self.assertIn("adarun launch --hosts node[1-2]:8 -- ./train.sh", done.stdout)
        self.assert_all_is_gone()

    def test_shows_how_a_failing_rank_is_reported(self):
        done = self.demo("--fail").expect(7)
        self.assertIn("adarun: rank 11 on 127.0.1.2 (device 3) failed first: exit code 7\n", done.stderr)
        self.assertIn("adarun:     RuntimeError: device 3 is lost (made up: adarun demo --fail)\n", done.stderr)
        self.assertIn("\nRank 11 was made to fail; above is how adarun reports a failure", done.stdout)
        told = re.search(r"  adarun (logs \S+ --rank 11) ", done.stdout)[1]
        self.assertIn("RuntimeError: device 3 is lost", adarun(*told.split()).expect(0).stdout)
        self.assert_all_is_gone()

    def test_starts_ranks_without_ssh_where_there_is_no_sshd(self):
        for name in ("sshd", "ssh-keygen"):
            hide = f"mount --bind /dev/null $(command -v {name}) && exec \"$@\""
            done = self.demo("--fail", before=["unshare", "--mount", "sh", "-c", hide, "sh"]).expect(7)
            self.assertIn(f"\n{name} is not on this machine (install openssh-server to see the demo over SSH): the ranks start "
                          "without SSH, as with --via local\n", done.stdout)
            self.assertIn("--via local --log-dir", done.stdout)
            self.assertIn("rank 11 on 127.0.1.2 (device 3) failed first: exit code 7", done.stderr)
            self.assert_all_is_gone()

    @unittest.skipUnless(os.geteuid() == 0, "only root can be another user")
    def test_starts_ranks_without_ssh_for_a_user_whom_sshd_does_not_serve(self):
        daemon = pwd.getpwnam("daemon")
        program = self.copied("adarun", "adarun-agent")
        for uid, reason in [(45003, "this user (uid 45003) has no name, which sshd wants"),
                            (daemon.pw_uid, f"the login shell of daemon, {daemon.pw_shell}, runs no commands")]:
            os.chown(".", uid, uid)
            user = ["env", "-u", "HOME", "setpriv", f"--reuid={uid}", f"--regid={uid}", "--clear-groups"]
            done = self.demo(before=user, program=program).expect(0)
            self.assertIn(f"\n{reason}: the ranks start without SSH", done.stdout)
            self.assert_loss_falls(0)
            self.assert_all_is_gone()
            shutil.rmtree("adarun-demo")

    def test_an_interrupt_ends_it(self):
        with self.demo_at_work("--no-train", "--", "--epochs", "50") as demo:
            os.killpg(demo.pid, signal.SIGINT)
            demo.communicate(timeout=DEADLINE_S)
        self.assertEqual(demo.returncode, 130)
        self.assert_all_is_gone()

    def test_refuses_in_one_line_what_it_cannot_do(self):
        takes = "; the program inside adarun takes --epochs N and --steps N (--no-train)\n"
        for words, status, said in [
                (["--no-train", "--", "--model", "lenet5"], 2, "demo: behind --: --model: not known" + takes),
                (["--no-train", "--", "--steps", "0"], 2, 'demo: behind --: --steps: "0": wanted a number from 1 to 1000' + takes),
                (["--no-train", "--", "--steps"], 2, "demo: behind --: --steps: wanted a value behind it" + takes),
                (["--dir", "/proc/demo"], 125,
                 "demo: /proc/demo: cannot make this folder: No such file or directory; --dir DIR names another\n")]:
            self.assert_refused(adarun("demo", *words, env=self.environment), status, said)
