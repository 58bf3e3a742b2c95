# SPDX-License-Identifier: Apache-2.0
"""docs/monitor.md."""
from cases import Case, Substitute, set_up_by
from setting import LAST_JOB, PROGRAMS, job

LOSSES = """
mkdir run1
for step in 1 2 3; do echo "epoch: 1 step: $step, loss is 0.$step"; done >run1/train.log
for step in 1 2 3; do echo "it $step/3 and train=0.$step"; done >train.log
"""
SETTING = PROGRAMS + job() + job(log_dir="adasum") + job(log_dir="mean") + job(log_dir="run2") + LOSSES
SUBSTITUTES = [Substitute("20261121-023703-5f58", LAST_JOB, "an id is new each time")]
CASES = [
    Case("adarun monitor run1/train.log", until="step 3 ", status=130),
    Case("adarun monitor --serve 127.0.0.1:0", until="http://127.0.0.1:", status=130),
    Case("adarun monitor --serve 127.0.0.1:0 20261121-023703-5f58", until="http://127.0.0.1:", status=130),
    Case(r"adarun monitor --pattern 'it (?<step>\d+)/(?<steps>\d+) .*train=(?<loss>\S+)' train.log", until="step 3 ", status=130),
    Case("adarun logs --rank 3 --tail 20", shows="loss is"),
]
