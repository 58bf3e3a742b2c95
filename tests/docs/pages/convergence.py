# SPDX-License-Identifier: Apache-2.0
"""docs/convergence.md."""
from cases import not_run, replaced

CASES = [
    not_run("bench/convergence/run --data-path MNIST --out docs/convergence/results.jsonl", "it trains for an hour and a half"),
    replaced("adarun-trainer data draw --format cifar10 --out CIFAR --train 4096 --test 2000",
             "adarun-trainer data draw --format cifar10 --out CIFAR --train 64 --test 16", "it draws for a while"),
    not_run("bench/convergence/explore --model resnet20 --dataset cifar10 --data-path CIFAR --epochs 2 --batch-size 8 --seeds 1 2 "
            "--out docs/convergence/resnet20.jsonl", "it trains for ten minutes"),
    not_run("bench/convergence/explore --data-path MNIST --out docs/convergence/explore.jsonl", "it trains for half an hour"),
    replaced("bench/convergence/report docs/convergence/results.jsonl --plots docs/convergence",
             "bench/convergence/report docs/convergence/results.jsonl --plots plots",
             "the plots of the source are not to be written by a test", before="mkdir plots"),
]
