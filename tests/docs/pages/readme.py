# SPDX-License-Identifier: Apache-2.0
"""README.md."""
from cases import Case, Substitute, ends_with, not_run, printed
from setting import FAILING_RANK, MNIST

SETTING = FAILING_RANK + MNIST

SUBSTITUTES = [Substitute("/data/mnist", "data/mnist", "drawn digits stand for MNIST")]

CASES = [
    Case("adarun demo", shows=r"^accuracy +0\.9"),
    printed("adarun train -r adarun-demo/rank_table.json --ssh-config adarun-demo/sshd-GbQu3h/ssh_config --log-dir "
            "adarun-demo/log_output -- --eval", "the demo says it of itself, and its sshd has ended with it"),
    ends_with("adarun launch --hosts node[1-2]:8 -- ./train.sh", 7,
              r"adarun: rank 11 on node2 \(device 3\) failed first: exit code 7\n(.*\n)*adarun:     CUDA error: device lost"),
    Case("echo $?", shows=r"^7$"),
    not_run("scripts/demo", "it installs and builds everything: scripts/check-fresh runs it"),
    not_run("scripts/test", "it runs this test"),
]
