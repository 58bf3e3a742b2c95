# SPDX-License-Identifier: Apache-2.0
"""docs/launch.md."""
from cases import Case, replaced
from samples import Unlike
from setting import PROGRAMS

SETTING = PROGRAMS + "adarun ranktable gen -q --plain --hosts node[1-2]:8 -o rank_table.json"

NOT_ON_ALL = 'for node in 1 2 5 6 7 8; do scp -q train "node$node:$ADARUN_TEST_OWN/" & done; wait'
SAME_SYSTEM = "all nodes are this machine, with its libraries and its kernel"

FEWER_RANKS = "lines of 64 ranks on a busy machine are further apart than a fold waits"
UNLIKE = [
    Unlike(r"ok +libmpi .*", SAME_SYSTEM, r"ok libmpi all nodes: .*"),
    Unlike(r"warning +libmpi .*", SAME_SYSTEM),
    Unlike(r"ok +libmpich .*", SAME_SYSTEM, r"ok libmpich all nodes: .*"),
    Unlike("8 nodes: 1 wrong, 1 warnings", SAME_SYSTEM, r"8 nodes: 1 wrong, \d warnings"),
    Unlike(r"\[0-63\] hello", FEWER_RANKS, r"\[0-3\] hello"),
    Unlike(r"\[0-7,16-63\] 6.1.0-18-amd64", SAME_SYSTEM, r"\[0-3\] .*"),
    Unlike(r"\[8-15\] 6.1.0-13-amd64", SAME_SYSTEM),
]
CASES = [
    replaced("adarun train  -r rank_table.json -- --model lenet5 --epochs 2",
             "adarun train -r rank_table.json -- --model lenet5 --epochs 2 --max-steps 1", "the same with one step"),
    Case("adarun launch --hosts node[1-2]:8 -- ./train --lr 0.1", shows="loss is 0.815"),
    replaced("adarun check --hosts node[1-8]:8 -- ./train", 'cd "$ADARUN_TEST_OWN" && adarun check --hosts node[1-8]:8 -- ./train',
             "two nodes are to have no ./train", before=NOT_ON_ALL, status=1),
    replaced("adarun launch --hosts node[1-8]:8 --fold -- sh -c 'echo hello; uname -r'",
             "adarun launch --hosts node1:4 --fold -- sh -c 'echo hello; uname -r'", FEWER_RANKS, shows=r"^\[0-3\] hello$"),
]
