# SPDX-License-Identifier: Apache-2.0
"""README.md, the tutorial, and pages for those who install, build or measure."""
import re

from cases import Case, Page, Substitute, ends_with, not_run, printed, replaced
from samples import Unlike
from setting import FAILING_RANK, MNIST

PAGES = {}

RELEASED = "it needs a release: scripts/check-portable makes one and runs its demo"

PAGES["README.md"] = Page(FAILING_RANK + MNIST, substitutes=[
    Substitute("/data/mnist", "data/mnist", "drawn digits stand for MNIST"),
], cases=[
    Case("adarun demo", shows=r"^accuracy +0\.9"),
    printed("adarun train -r adarun-demo/rank_table.json --ssh-config adarun-demo/sshd-GbQu3h/ssh_config --log-dir "
            "adarun-demo/log_output -- --eval", "the demo says it of itself, and its sshd has ended with it"),
    ends_with("adarun launch --hosts node[1-2]:8 -- ./train.sh", 7,
              r"adarun: rank 11 on node2 \(device 3\) failed first: exit code 7\n(.*\n)*adarun:     CUDA error: device lost"),
    Case("echo $?", shows=r"^7$"),
    not_run("tar -xzf adarun-0.2.0-linux-x86_64.tar.gz", RELEASED),
    not_run("scripts/portable", "it builds everything twice: scripts/check-portable runs it"),
    not_run("scripts/demo", "it installs and builds everything: scripts/check-fresh runs it"),
    not_run("scripts/test", "it runs this test"),
])

INSTALLS = "it builds and installs packages: scripts/check-packages does, on a fresh Debian 12"
FIRST = "./build/release/packages/adarun_*.deb ./build/release/packages/adarun-trainer_*.deb"

# Node1 and node2 are two of the test hosts.
PAGES["docs/tutorial.md"] = Page(unlikes=[
    Unlike(r"\[(0-7|8-15)\] hello from node\d", "either may come first", r"\[(0-7|8-15)\] hello from node\d"),
], cases=[
    not_run("scripts/bootstrap", INSTALLS),
    not_run("scripts/build && cpack --preset release", INSTALLS),
    not_run(f"apt-get install {FIRST}", INSTALLS),
    not_run("""for node in node1 node2; do
  scp build/release/packages/adarun_*.deb build/release/packages/adarun-trainer_*.deb $node:
  ssh $node apt-get install -y ./adarun_*.deb ./adarun-trainer_*.deb
done""", INSTALLS),
    replaced("ssh-keygen -t ed25519", "ssh-keygen -t ed25519 -N '' -f another", "it asks where to, and for a passphrase"),
    Case("adarun check --hosts node[1-2]:8", shows=r"2 nodes: 0 wrong"),
    Case("adarun ranktable validate --profile adasum rank_table.json", shows="valid, 2 servers, 16 devices"),
    Case("""adarun launch -r rank_table.json --fold -- sh -c 'echo "hello from $(hostname)"'""",
         shows=r"(?=[\s\S]*^\[0-7\] hello from node1$)(?=[\s\S]*^\[8-15\] hello from node2$)"),
    Case("adarun train -r rank_table.json -- --epochs 2 --eval", shows=r"^accuracy +0\.9"),
    Case("adarun monitor --once", shows="16 with loss lines"),
    ends_with("""adarun launch -r rank_table.json -- sh -c 'echo step 1; test $RANK = 11 || exec sleep 600; sleep 1; echo "out of cheese" >&2; exit 7'""",
              7, r"rank 11 on node2 \(device 3\) failed first: exit code 7"),
    Case("echo $?", shows="^7$"),
    Case("adarun logs --rank 11", shows="out of cheese"),
    Case("adarun status", shows="running"),
])

PACKAGES = "it builds or installs packages: e2e.install and scripts/check-packages do"

PAGES["docs/install.md"] = Page(cases=[
    not_run("scripts/bootstrap", "it installs packages"),
    not_run("scripts/build", "it builds everything"),
    not_run("cmake --install build/release --prefix /usr/local", "e2e.install does so in a folder of its own"),
    not_run("scripts/build && cpack --preset release", PACKAGES),
    not_run("cd build/release/packages", PACKAGES),
    not_run("apt-get install ./adarun_*.deb ./adarun-trainer_*.deb openssh-server", PACKAGES),
    not_run("adarun demo", "it is run for README.md"),
])

# Its commands are not run, since each installs and builds everything, except for the site.
PAGES["CONTRIBUTING.md"] = Page(cases=[
    not_run(command, "it installs, builds and tests everything")
    for command in ("scripts/test", "scripts/test asan", "scripts/test clang-dev", "scripts/fuzz 60 hosts", "scripts/coverage",
                    "scripts/matrix", "scripts/build")
] + [replaced("scripts/site", "scripts/site site", "its folder is that of the source", shows=r"site: \d+ pages")])

MEASURES = "it measures for minutes"


def helped(command):
    """Runs PROGRAM --help in place of PROGRAM [--option ...]."""
    program = command.split()[0]
    options = "".join(rf"(?=[\s\S]*{option}\b)" for option in re.findall(r"--[\w-]+", command))
    return replaced(command, f"{program} --help", MEASURES, shows=f"usage: {options}")


# Benchmarks take minutes, so the test only checks that each has the options that the page shows.
PAGES["bench/README.md"] = Page(cases=[
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
    *(not_run(command, MEASURES) for command in [
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
])
