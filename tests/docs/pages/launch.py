# SPDX-License-Identifier: Apache-2.0
"""docs/launch.md."""
from cases import Case, replaced
from setting import PROGRAMS

SETTING = PROGRAMS + "adarun ranktable gen -q --plain --hosts node[1-2]:8 -o rank_table.json"

CASES = [
    replaced("adarun train  -r rank_table.json -- --model lenet5 --epochs 2",
             "adarun train -r rank_table.json -- --model lenet5 --epochs 2 --max-steps 1", "the same with one step"),
    Case("adarun launch --hosts node[1-2]:8 -- ./train --lr 0.1", shows="loss is 0.815"),
    Case("adarun check --hosts node[1-8]:8 -- ./train", shows="ok +program +all nodes"),
    Case("adarun launch --hosts node[1-8]:8 --fold -- sh -c 'echo hello; uname -r'", shows=r"^\[0-63\] hello$"),
]
