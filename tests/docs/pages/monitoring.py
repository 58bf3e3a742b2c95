# SPDX-License-Identifier: Apache-2.0
"""Pages about the monitor."""
from cases import Case, Page
from setting import PROGRAMS, job, last_job_id

PAGES = {}

# ./train prints 32 falling losses in each of three epochs; the lowest is at step 29 of the last one.
TRAIN = r"""
cat >train <<'END'
#!/bin/sh
exec awk -v rank="$RANK" 'BEGIN {
  for (epoch = 1; epoch <= 3; ++epoch) {
    for (step = 1; step <= 32; ++step) {
      loss = 2.3 * exp(-((epoch - 1) * 32 + step) / 30) * (1 + rank / 1000)
      if (epoch == 3 && step == 29) loss /= 4
      printf "epoch: %d step: %d, loss is %.6f\n", epoch, step, loss
    }
    printf "Train epoch time: 3355.2 ms, per step time: 104.85 ms\nthroughput: 4910 images/s\n"
  }
  print "accuracy: 0.9971"
}'
END
"""

LOSSES = """
mkdir run1
for step in 1 2 3; do echo "epoch: 1 step: $step, loss is 0.$step"; done >run1/train.log
"""

MONITOR_SETTING = PROGRAMS + job(log_dir="run2") + TRAIN + job() + LOSSES

PAGES["docs/monitor.md"] = Page(MONITOR_SETTING, substitutes=[last_job_id("20261121-023703-5f58")], cases=[
    Case("adarun monitor run1/train.log", until="step 3 ", status=130),
    Case("adarun monitor --serve 127.0.0.1:0", until="http://127.0.0.1:", status=130),
    Case("adarun monitor --serve 127.0.0.1:0 20261121-023703-5f58", until="http://127.0.0.1:", status=130),
])

MONITOR_INPUT_SETTING = 'for step in 1 2 3; do echo "it $step/3 and train=0.$step"; done >train.log\n'

PAGES["docs/monitor-input.md"] = Page(MONITOR_INPUT_SETTING, cases=[
    Case(r"adarun monitor --pattern 'it (?<step>\d+)/(?<steps>\d+) .*train=(?<loss>\S+)' train.log", until="step 3 ", status=130),
])
