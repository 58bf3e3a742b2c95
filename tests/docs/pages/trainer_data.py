# SPDX-License-Identifier: Apache-2.0
"""docs/trainer-data.md."""
from cases import Substitute, replaced
from setting import MNIST

SETTING = MNIST
SUBSTITUTES = [Substitute("DIR", "data/mnist", "the folder of some data")]
CASES = [
    replaced("adarun-trainer data draw --format idx|cifar10|imagefolder --out DIR [--train 1000] [--test 200]",
             "for format in idx cifar10 imagefolder; do adarun-trainer data draw --format $format --out of_$format --train 10 "
             "--test 2; done", "a synopsis"),
    replaced("adarun-trainer data convert --dataset mnist --data-path DIR --format imagefolder --out DIR",
             "adarun-trainer data convert --dataset mnist --data-path DIR --format imagefolder --out folders", "two folders"),
    replaced("adarun-trainer data inspect --dataset imagefolder --data-path DIR [--ranks 16] [--batch-size 256] [--json]",
             "adarun-trainer data inspect --dataset imagefolder --data-path folders --ranks 16 --batch-size 256 --json", "a synopsis"),
]
