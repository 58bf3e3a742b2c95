# SPDX-License-Identifier: Apache-2.0
"""docs/howto/restarts.md."""
from cases import Case, Substitute, replaced

SHORT = "the same with few steps"
SUBSTITUTES = [Substitute("/data/run1", "{folder}/run1", "a folder of the test")]
CASES = [
    replaced("adarun train --hosts node[1-2]:8 --restarts 2 -- --checkpoint-dir /data/run1 --checkpoint-minutes 10",
             "adarun train --hosts node[1-2]:8 --restarts 2 -- --checkpoint-dir /data/run1 --checkpoint-minutes 10 "
             "--checkpoint-every 1 --max-steps 2", SHORT),
    Case("adarun launch --hosts node[1-2]:2 --restarts 1 -- sh -c 'test $ADARUN_RESTART_COUNT = 1 || exit 9; echo going on'",
         shows=r"restart 1 of 1[\s\S]*going on"),
    replaced("adarun train --hosts node[1-2]:8 -- --checkpoint-dir /data/run1 --resume",
             "adarun train --hosts node[1-2]:8 -- --checkpoint-dir /data/run1 --resume --max-steps 3 && adarun logs --rank 0", SHORT,
             shows="resumed: epoch 1, 2 steps"),
]
