# SPDX-License-Identifier: Apache-2.0
"""docs/howto/restarts.md."""
from cases import Case, Substitute, replaced
from samples import Unlike

SHORT = "the same with few steps"
SUBSTITUTES = [Substitute("/data/run1", "{folder}/run1", "a folder of the test")]
QUICK = "which ranks are quick enough to fail before they are stopped is another matter each time"
UNLIKE = [
    Unlike("adarun: rank 0 on node1 .*", QUICK, r"adarun: rank \d on node\d \(device \d\) failed first: exit code 9"),
    Unlike("adarun: rank 0 printed nothing", QUICK, r"adarun: rank \d printed nothing"),
    Unlike("adarun: rank 1 on node1 failed .*", QUICK),
    Unlike("adarun: ranks 2-3 on node2: .*", QUICK),
]
CASES = [
    replaced("adarun train --hosts node[1-2]:8 --restarts 2 -- --checkpoint-dir /data/run1 --checkpoint-minutes 10",
             "adarun train --hosts node[1-2]:8 --restarts 2 -- --checkpoint-dir /data/run1 --checkpoint-minutes 10 "
             "--checkpoint-every 1 --max-steps 2", SHORT),
    Case("adarun launch --hosts node[1-2]:2 --restarts 1 -- sh -c 'test $ADARUN_RESTART_COUNT = 1 || exit 9; echo continuing'",
         shows=r"restart 1 of 1[\s\S]*continuing"),
    replaced("adarun train --hosts node[1-2]:8 -- --checkpoint-dir /data/run1 --resume",
             "adarun train --hosts node[1-2]:8 -- --checkpoint-dir /data/run1 --resume --max-steps 3 && adarun logs --rank 0", SHORT,
             shows="resumed: epoch 1, 2 steps"),
]
