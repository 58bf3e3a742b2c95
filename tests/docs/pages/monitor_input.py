# SPDX-License-Identifier: Apache-2.0
"""docs/monitor-input.md."""
from cases import Case

SETTING = 'for step in 1 2 3; do echo "it $step/3 and train=0.$step"; done >train.log\n'
CASES = [
    Case(r"adarun monitor --pattern 'it (?<step>\d+)/(?<steps>\d+) .*train=(?<loss>\S+)' train.log", until="step 3 ", status=130),
]
