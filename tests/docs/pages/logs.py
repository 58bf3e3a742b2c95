# SPDX-License-Identifier: Apache-2.0
"""docs/logs.md."""
from cases import Case, Substitute, set_up_by
from setting import LAST_JOB, PROGRAMS, job

# A log folder of 64 ranks with line times of this afternoon.
AFTERNOON = r"""
rm -rf log_output && python3 - <<'END'
import datetime, os
os.mkdir("log_output")
came = int(datetime.datetime.now().replace(hour=15, minute=0).timestamp()) * 1000
lines = [("epoch: 1 step: 100, loss is 2.3", range(64)), ("[WARNING] slow read of /data/part-17", [17]),
         ("saved", [rank for rank in range(64) if rank != 17])]
for rank in range(64):
    with open(f"log_output/worker_{rank}.log", "w") as log:
        log.writelines(line + "\n" for line, ranks in lines if rank in ranks)
with open("log_output/line_times.txt", "w") as times:
    times.write("adarun line times 1 -\n")
    for line, ranks in lines:
        came += 1000
        times.write(f"{came} " + " ".join(f"{rank}:{len(line) + 1}" for rank in ranks) + "\n")
END
"""

SETTING = PROGRAMS + job() + """
mkdir -p data/run7 npu && echo "an Error" | tee npu/a.log >data/run7/a.log
for rank in 1 2 3 4 5 6 7; do echo "rank $rank" >data/run7/$rank.log; done
"""
SUBSTITUTES = [
    Substitute("20261121-010203", LAST_JOB, "an id is new each time"),
    Substitute("/data/run7", "{folder}/data/run7", "a folder of the test"),
    Substitute("/var/log/npu", "{folder}/npu", "a folder of the test"),
]
CASES = [
    Case("adarun logs --node node3,node[5-8] -n 5", shows="worker_4.log"),
    Case("adarun logs --since 10m --grep 'NaN|nan'", shows="momentum is nan"),
    Case("adarun logs --hosts node[1-8] --path '/data/run7/*.log' --collect DIR", shows=r"node\[1-8\]: 8 files"),
    set_up_by("adarun logs --merge --since 14:30", AFTERNOON),
    Case("adarun logs --hosts node[1-8] --path '/data/run7/*.log' --grep Error", shows="an Error"),
    set_up_by("adarun prune log_output", "rm -rf log_output\n" + job()),
]
