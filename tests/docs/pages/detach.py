# SPDX-License-Identifier: Apache-2.0
"""docs/detach.md."""
from cases import Case, Substitute, set_up_by
from samples import Unlike
from setting import LAST_JOB, PROGRAMS

SETTING = PROGRAMS
SUBSTITUTES = [Substitute("20261121-104502", LAST_JOB, "an id is new each time")]
UNLIKE = [Unlike("node1: rank 0: .* brought home", "no supervisor has died: e2e.cut kills one", "node1: nothing was kept there")]
CASES = [
    Case("adarun launch --detach --hosts node[1-8]:8 -- ./train", shows=r"^\d{8}-\d{6}-\w+$"),
    set_up_by("adarun logs 20261121-104502 --collect", "adarun attach >/dev/null 2>&1 || adarun status >/dev/null",
              shows="nothing was kept there"),
]
