# SPDX-License-Identifier: Apache-2.0
"""docs/howto/reading-a-failure.md."""
from cases import Case, ends_with, set_up_by
from setting import FAILING_RANK, job

SETTING = FAILING_RANK + r"""
printf '#!/bin/sh\nfor step in 1 2 3; do echo "epoch: 1 step: $step, loss is 0.$((9 - step))$RANK"; done\n' >train
chmod +x train
"""
CASES = [
    ends_with("adarun launch --hosts node[1-2]:8 -- ./train.sh", 7, "rank 11 on node2 .* failed first: exit code 7"),
    Case("adarun logs --rank 11 --tail 50", shows="device lost"),
    Case("jq '.first_failure' log_output/job.json", shows='"kind": "rank_failed"'),
    Case(r"""jq -r '.ranks[] | select(.state == "failed") | "\(.rank) \(.node) \(.end)"' log_output/job.json""",
         shows="^11 node2 exit code 7$"),
    ends_with("adarun launch --hosts node[1-2]:8 --hang-timeout 10m -- ./train.sh", 7, "failed first"),
    set_up_by("adarun monitor --once", job("node[1-2]:8"), shows="16 with loss lines"),
    Case("adarun monitor --check && echo nothing found", shows="nothing found"),
]
