# SPDX-License-Identifier: Apache-2.0
"""docs/howto/node-loss.md."""
from cases import Case, Substitute, replaced
from samples import Unlike

SUBSTITUTES = [Substitute("/share/run1", "{folder}/run1", "a folder that all nodes share")]
EIGHT = "three nodes of two ranks instead of eight of eight"
CASES = [
    replaced("adarun launch --hosts node[1-8]:8 --spare node9 -- ./train",
             "adarun launch --hosts node[1-2]:2 --spare node3 -- true", EIGHT),
    replaced("adarun launch --hosts node[1-8]:8 --min-nodes 6 -- ./train",
             "adarun launch --hosts node[1-3]:2 --min-nodes 2 -- true", EIGHT),
    replaced("adarun launch --hosts node[1-10]:8 --spare 2 --min-nodes 6 --restarts 3 -- ./train",
             "adarun launch --hosts node[1-3]:2 --spare 1 --min-nodes 1 --restarts 3 -- true", EIGHT),
    Case("adarun launch --hosts node[1-2]:2 --spare node3 -- sh -c 'if test $ADARUN_RESTART_COUNT = 0; then sleep 1; "
         'test $RANK_ID = 3 && kill -9 $PPID; sleep 60; fi; echo "rank $RANK_ID on $ADARUN_ATTEMPT_NODES"\'',
         shows="node2 is lost; node3 joins"),
    replaced("adarun train --hosts node[1-4]:8 --min-nodes 2 -- --checkpoint-dir /share/run1 --checkpoint-minutes 5",
             "adarun train --hosts node[1-4]:4 --min-nodes 2 -- --checkpoint-dir /share/run1 --checkpoint-minutes 5 --max-steps 2",
             "four nodes of four ranks, and few steps"),
]
UNLIKE = [
    Unlike("rank . on node.1,3.", "ranks print in any order", r"rank \d on node\[1,3\]"),
]
