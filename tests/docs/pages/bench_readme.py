# SPDX-License-Identifier: Apache-2.0
"""bench/README.md: benchmarks take minutes, so the test only checks that each has the options that the page shows."""
import re

from cases import not_run, replaced

MEASURES = "it measures for minutes"
NOT_BUILT = "a test build has no benchmarks"


def helped(command):
    """Runs PROGRAM --help in place of PROGRAM [--option ...]."""
    program = command.split()[0]
    options = "".join(rf"(?=[\s\S]*{option}\b)" for option in re.findall(r"--[\w-]+", command))
    return replaced(command, f"{program} --help", MEASURES, shows=f"usage: {options}")


CASES = [
    *map(helped, [
        "bench/connect/run [--hosts 256] [--rounds 5] [--adarun build/release/bin/adarun]",
        "bench/busy/run [--runs 5] [--hosts 8] [--slots 8] [--many 1000] [--seconds 12] [--stop 8] [CASE...]",
        "bench/launch/run [--hosts 8] [--slots 8] [--rounds 5] [--adarun build/release/bin/adarun]",
        "bench/logs/run [--hosts 8] [--files 8] [--megabytes 5] [--rounds 5] [--adarun build/release/bin/adarun]",
        "bench/monitor/run [--megabytes 200] [--rounds 5] [--bin build/release/bin]",
        "bench/monitor/flood [--rate 200] [--seconds 15] [--bin build/release/bin]",
        "bench/output/run [--hosts 2] [--slots 8] [--megabytes 200] [--rounds 3] [--adarun build/release/bin/adarun]",
        "bench/stage/run [--hosts 8] [--megabytes 100] [--rounds 5] [--adarun build/release/bin/adarun]",
        "bench/ranktable/run [--servers 8192] [--rounds 5] [--bin build/release/bin]",
        "bench/trainer/run [--models lenet5 mlp resnet20] [--ranks 1 4 16] [--longer 1] [--rounds 3] [--python /usr/bin/python3]",
        "bench/trainer/run --launchers [--models lenet5] [--ranks 4 16] [--longer 1] [--rounds 3]",
        "bench/trainer/run --hook [--models lenet5 resnet20] [--ranks 4 16] [--longer 1] [--rounds 3]",
        "bench/trainer/hook_convergence --data-path MNIST [--workers 32] [--epochs 2] [--rates 0.02 0.04] [--seeds 1 2]",
        "bench/data/run [--folder PICTURES] [--sides 32 64 224] [--workers 0 2] [--rounds 3]",
        "bench/boost/run [--models lenet5 resnet20 resnet50] [--ranks 1 16] [--epochs 3] [--rounds 3] [--mnist FOLDER]",
        "bench/plan/run [--models wide_mlp vgg16] [--rates 300 1000] [--slots 1] [--reduce adasum|mean] [--rounds 1]",
        "bench/recover/run [--hosts 8] [--slots 8] [--rounds 5] [--program sleep|mpi|ddp] [--torchrun]",
        "bench/elastic/run [--slots 8] [--rounds 3] [--model lenet5] [--seed 1]",
        "bench/elastic/run --messages 1-80 [--again]",
        "bench/elastic/run --kills 100 [--slots 2] [--dataset mnist DIR] [--epochs 40]",
        "bench/convergence/explore --data-path MNIST --out FILE.jsonl [--seeds 1 2 3]",
        "bench/convergence/run --data-path MNIST --out FILE.jsonl [--epochs 2] [--worlds 1 4 16 32] [--seeds 1 2 3]",
        "bench/convergence/report FILE.jsonl [--plots FOLDER]",
    ]),
    *(not_run(command, NOT_BUILT) for command in [
        "mpirun --oversubscribe -n 16 build/release/bin/bench-adasum [--repeats N] [--group-size N] [--grid] [--only NAME]",
        r"""for shape in "2 4" "4 4" "8 2"; do
  set -- $shape
  tests/hosts/with_hosts $1 --slots $2 -- sh -c \
    'build/release/bin/adarun launch --hosts $ADARUN_TEST_HOSTFILE -- $PWD/build/release/bin/bench-adasum'
done""",
        "build/release/bin/bench-adasum-kernels [REPEATS]",
        "build/release/bin/bench-scale [NODES [RANKS_PER_NODE]]",
        "build/release/bin/bench-attempts [NODES [RANKS_PER_NODE [LOSSES]]]",
    ]),
    not_run("tests/hosts/with_hosts 2 -- python3 bench/faults/faults.py [WORD...]", "e2e.faults goes through the same faults"),
]
