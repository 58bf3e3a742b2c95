# SPDX-License-Identifier: Apache-2.0
"""docs/page.md."""
from cases import Case, Substitute
from setting import LAST_JOB, PROGRAMS, job

SETTING = PROGRAMS + job()
SUBSTITUTES = [Substitute("20261121-023703-5f58", LAST_JOB, "an id is new each time")]
CASES = [
    Case("adarun monitor --serve 127.0.0.1:0 20261121-023703-5f58", until="http://127.0.0.1:", status=130),
]
