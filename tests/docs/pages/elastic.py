# SPDX-License-Identifier: Apache-2.0
"""docs/elastic.md."""
from cases import Case, Substitute, set_up_by

# Rank 3 of the first attempt kills the agent of its node.
LOSS = r"""printf '#!/bin/sh\ntest $ADARUN_RESTART_COUNT = 1 && exit\nsleep 1; test $RANK_ID = 3 && kill -9 $PPID\nsleep 60\n' >program
chmod +x program
adarun launch -q --hosts node[1-2]:2 --spare node3 -- ./program
"""
SETTING = "printf '#!/bin/sh\\nexec sleep 600\\n' >train; chmod +x train"
SUBSTITUTES = [Substitute("--epochs 3", "--epochs 1", "the same, shorter")]
CASES = [
    set_up_by("adarun status", LOSS),
    Case("adarun resize run7 --add node3 --now", shows="node3 joins, and the job continues with 24 ranks on 3 nodes"),
    Case("adarun resize run7 --remove node1 --now", shows="node1 leaves, and the job continues with 16 ranks on 2 nodes"),
]
