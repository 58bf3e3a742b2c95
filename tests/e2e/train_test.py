#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""adarun train: 16 ranks on two hosts, AdaSum over the network, the loss falls and the model is good."""
import os
import re
import subprocess
import sys
import unittest

from e2e import Case, adarun_command

# The full set is 60,000 images, on 16 ranks of perhaps two cores.
LIMIT_S = 900


def train(*arguments):
    command = adarun_command("train", "--hosts", os.environ["ADARUN_TEST_HOSTFILE"], "--", *arguments)
    return subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=LIMIT_S,
                          check=False)


class Train(Case):
    """What the two trainings below share."""

    def losses_of(self, rank):
        return [float(text) for text in re.findall(r"loss is ([0-9.eE+-]+)", self.log_of(rank))]

    def assert_all_ranks_learn(self):
        for rank in range(16):
            losses = self.losses_of(rank)
            self.assertGreater(len(losses), 1, f"rank {rank}:\n{self.log_of(rank)}")
            self.assertLess(losses[-1], losses[0] / 2, f"rank {rank}")


class Digits(Train):
    def test_the_defaults_bring_the_loss_down(self):
        done = train("--epochs", 2)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assert_all_ranks_learn()


class Mnist(Train):
    def test_lenet5_reaches_97_5_percent(self):
        data = os.environ["ADARUN_TEST_MNIST"]
        done = train("--model", "lenet5", "--dataset", "mnist", "--data-path", data, "--epochs", 2, "--lr", 0.05, "--eval")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assert_all_ranks_learn()
        accuracy = re.findall(r"accuracy\D*([0-9.]+)", self.log_of(0))
        self.assertTrue(accuracy, self.log_of(0))
        self.assertGreaterEqual(float(accuracy[-1]), 0.975)


if __name__ == "__main__":
    # train_test.py Digits|Mnist; 77: skipped.
    if sys.argv[1:] == ["Mnist"] and not os.environ.get("ADARUN_TEST_MNIST"):
        print("skipped: ADARUN_TEST_MNIST names no folder with the four files of MNIST")
        sys.exit(77)
    unittest.main()
