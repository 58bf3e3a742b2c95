# SPDX-License-Identifier: Apache-2.0
"""adarun demo, with its own sshd: the loss falls; however it ends, only its folder remains."""
import contextlib
import os
import re
import signal
import subprocess
import time

from e2e import DEADLINE_S, Case, adarun, await_end, processes, start

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


class Demo(Case):
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
    def demo_at_work(self):
        """A running demo that has printed a loss, in a process group of its own."""
        with start("demo", "--", "--epochs", "50", stderr=subprocess.STDOUT, env=self.environment, start_new_session=True) as demo:
            self.assertTrue(any("loss" in line for line in demo.stdout), "it ended without showing a loss")
            yield demo

    def test_brings_the_loss_down_and_leaves_only_its_folder(self):
        adarun("demo", env=self.environment).expect(0)
        losses = [float(text) for text in re.findall(r"loss is (\S+)", self.log_of(0, "work/adarun-demo/log_output"))]
        self.assertLess(losses[-1], losses[0] / 2)
        self.assertEqual(sorted(os.listdir("adarun-demo")), ["jobs", "log_output", "rank_table.json"])
        self.assert_all_is_gone()

    def test_an_interrupt_ends_it(self):
        with self.demo_at_work() as demo:
            os.killpg(demo.pid, signal.SIGINT)
            demo.communicate(timeout=DEADLINE_S)
        self.assertEqual(demo.returncode, 130)
        self.assertEqual(sorted(os.listdir("adarun-demo")), ["jobs", "log_output", "rank_table.json"])
        self.assert_all_is_gone()

    def test_its_sshd_and_ranks_end_when_it_is_killed(self):
        with self.demo_at_work() as demo:
            self.assertNotEqual(of_demo(), {})
            demo.send_signal(signal.SIGKILL)
        self.assert_all_is_gone()
