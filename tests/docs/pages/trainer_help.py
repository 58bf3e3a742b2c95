# SPDX-License-Identifier: Apache-2.0
"""The examples of every --help of adarun-trainer: each training runs one or two steps."""
from cases import Case, Substitute, not_run, replaced, set_up_by
from setting import MNIST

SHORT = "the same with few steps"
SETTING = MNIST
SUBSTITUTES = [Substitute("DIR", "data/mnist", "the folder of some data")]
CASES = [
    replaced("adarun-trainer", "adarun-trainer --max-steps 20", SHORT, shows="loss is"),
    *(not_run(command, "docs/trainer.md shows it as well, and it is run there") for command in (
        "mpirun -n 16 adarun-trainer", "mpirun -n 4 adarun-trainer --adasum-world any", "adarun train --hosts node[1-2]:8 -- --epochs 5")),
    replaced("adarun-trainer data draw --format cifar10 --out DIR", "adarun-trainer data draw --format cifar10 --out cifar",
             "a folder of its own"),
    set_up_by("adarun-trainer data convert --dataset mnist --data-path mnist --format cifar10 --out mnist10",
              "ln -s data/mnist mnist"),
    replaced("adarun-trainer profile --model resnet50 --batch-size 8 -o resnet50.json",
             "adarun-trainer profile --model resnet50 --batch-size 1 --passes 1 --image-size 64 -o resnet50.json", "the same with small images"),
    replaced("adarun-trainer profile --model wide_mlp --parts 4 -o wide_mlp.json",
             "adarun-trainer profile --model wide_mlp --parts 4 --batch-size 1 --passes 1 -o wide_mlp.json", SHORT),
    Case("adarun-trainer data inspect --dataset imagefolder --data-path flowers", shows="classes: "),
]
