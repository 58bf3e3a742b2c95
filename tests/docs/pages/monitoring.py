# SPDX-License-Identifier: Apache-2.0
"""Pages about the monitor."""
from cases import Case, Page, set_up_by
from samples import Unlike
from setting import PROGRAMS, job, last_job_id

PAGES = {}

# ./train EPOCHS BEST prints 32 falling losses per epoch; in the last epoch the lowest is at step BEST.
TRAIN = r"""
cat >train <<'END'
#!/bin/sh
exec awk -v epochs="$1" -v best="$2" -v rank="$RANK" 'BEGIN {
  for (epoch = 1; epoch <= epochs; ++epoch) {
    for (step = 1; step <= 32; ++step) {
      loss = 2.3 * exp(-((epoch - 1) * 32 + step) / 30) * (1 + rank / 1000)
      if (epoch == epochs && step == best) loss /= 4
      printf "epoch: %d step: %d, loss is %.6f\n", epoch, step, loss
    }
    printf "Train epoch time: 3355.2 ms, per step time: 104.85 ms\nthroughput: 4910 images/s\n"
  }
  print "accuracy: 0.9971"
}'
END
"""


def training(epochs, best, log_dir="log_output"):
    return f"adarun launch -q --hosts node[1-8]:2 --log-dir {log_dir} -- ./train {epochs} {best} >/dev/null\n"


LOSSES = """
mkdir run1
for step in 1 2 3; do echo "epoch: 1 step: $step, loss is 0.$step"; done >run1/train.log
"""

# Two attempts at a job, the second from step 6 on.
ATTEMPTS = r"""
cat >program <<'END'
#!/bin/sh
awk -v from="$((ADARUN_RESTART_COUNT * 5 + 1))" -v to="$((ADARUN_RESTART_COUNT * 12 + 8))" 'BEGIN {
  for (step = from; step <= to; ++step) printf "epoch: 1 step: %d, loss is %.6f\n", step, 2.3 * exp(-step / 30) }'
test $ADARUN_RESTART_COUNT = 1 && exit
sleep 1; test $RANK_ID = 3 && kill -9 $PPID
sleep 60
END
chmod +x program
adarun launch -q --hosts node[1-2]:2 --spare node3 --log-dir restarted -- ./program >/dev/null
"""

MONITOR_SETTING = (PROGRAMS + job(log_dir="run2") + TRAIN + training(6, 4, "adasum") + training(6, 25, "mean") + training(3, 29)
                   + LOSSES)

PAGES["docs/monitor.md"] = Page(MONITOR_SETTING, substitutes=[last_job_id("20261121-023703-5f58")], unlikes=[
    Unlike(r"2026112\d-\S+ +16 .*", "losses that only fall leave nothing to find",
           r"JOB 16 N N epoch 6 step 32 N epoch 6 step (4|25) TIME N N \S+"),
], cases=[
    set_up_by("adarun monitor --once restarted", ATTEMPTS),
    Case("adarun monitor run1/train.log", until="step 3 ", status=130),
    Case("adarun monitor --serve 127.0.0.1:0", until="http://127.0.0.1:", status=130),
    Case("adarun logs --rank 3 --tail 20", shows="loss is"),
])

MONITOR_INPUT_SETTING = 'for step in 1 2 3; do echo "it $step/3 and train=0.$step"; done >train.log\n'

PAGES["docs/monitor-input.md"] = Page(MONITOR_INPUT_SETTING, cases=[
    Case(r"adarun monitor --pattern 'it (?<step>\d+)/(?<steps>\d+) .*train=(?<loss>\S+)' train.log", until="step 3 ", status=130),
])

PAGES["docs/page.md"] = Page(PROGRAMS + job(), substitutes=[last_job_id("20261121-023703-5f58")], cases=[
    Case("adarun monitor --serve 127.0.0.1:0 20261121-023703-5f58", until="http://127.0.0.1:", status=130),
])
