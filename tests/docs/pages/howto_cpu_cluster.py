# SPDX-License-Identifier: Apache-2.0
"""docs/howto/cpu-cluster.md."""
from cases import Case, replaced
from setting import PROGRAMS

SETTING = PROGRAMS
CASES = [
    Case("adarun launch --hosts node[1-4]:2 --bind numa -- ./train", shows="loss is"),
    replaced("adarun train --hosts node[1-4]:4 -- --epochs 5 --eval",
             "adarun train --hosts node[1-4]:4 -- --epochs 5 --eval --max-steps 1", "the same with one step"),
]
