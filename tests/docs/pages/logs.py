# SPDX-License-Identifier: Apache-2.0
"""docs/logs.md."""
from cases import Case, Substitute
from setting import LAST_JOB, PROGRAMS, job

SETTING = PROGRAMS + job() + """
mkdir -p data/run7 npu && echo "an Error" >data/run7/a.log && cp data/run7/a.log npu
"""
SUBSTITUTES = [
    Substitute("20261121-010203", LAST_JOB, "an id is new each time"),
    Substitute("/data/run7", "{folder}/data/run7", "a folder of the test"),
    Substitute("/var/log/npu", "{folder}/npu", "a folder of the test"),
]
CASES = [
    Case("adarun logs --node node3,node[5-8] --tail 5", shows="worker_4.log"),
    Case("adarun logs --since 10m --grep 'NaN|nan'", shows="momentum is nan"),
    Case("adarun logs --hosts node[1-8] --path '/data/run7/*.log' --collect DIR", shows=r"node\[1-8\]: 1 file"),
    Case("adarun logs --hosts node[1-8] --path '/data/run7/*.log' --grep Error", shows="an Error"),
]
