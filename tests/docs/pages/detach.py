# SPDX-License-Identifier: Apache-2.0
"""docs/detach.md."""
from cases import Case, Substitute, set_up_by
from setting import LAST_JOB, PROGRAMS

SETTING = PROGRAMS
SUBSTITUTES = [Substitute("20261121-104502", LAST_JOB, "an id is new each time")]
CASES = [
    Case("adarun launch --detach --hosts node[1-8]:8 -- ./train", shows=r"^\d{8}-\d{6}-\w+$"),
    set_up_by("adarun logs 20261121-104502 --collect", "adarun attach >/dev/null 2>&1 || adarun status >/dev/null",
              shows="nothing was kept there"),
]
