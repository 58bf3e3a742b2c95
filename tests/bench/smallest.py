# SPDX-License-Identifier: Apache-2.0
"""The smallest sizes of each benchmark that a test runs, and why others are not run. Words {bin} are the programs' folder."""
from dataclasses import dataclass


@dataclass(frozen=True)
class Bench:
    """`command` runs in the top folder; `shows` is part of its output; the test is skipped where a program of `needs` is missing."""
    command: str
    shows: str
    needs: tuple = ()


# Open MPI itself leaks memory, which the address sanitizer would report.
SMALLEST = {
    "adasum": Bench("env ASAN_OPTIONS=detect_leaks=0 mpirun --allow-run-as-root --oversubscribe -n 2 {bin}/bench-adasum"
                    " --repeats 1 --only LeNet-5", "AdaSum, shared", ("mpirun",)),
    "attempts": Bench("{bin}/bench-attempts 4 1 1", "| 4 | 1 | 1 | 3 |"),
    "connect": Bench("bench/connect/run --hosts 2 --rounds 1 --adarun {bin}/adarun", "| adarun launch |", ("pdsh", "clush")),
    "flood": Bench("bench/monitor/flood --rate 1 --seconds 1 --bin {bin}", "adarun monitor"),
    "launch": Bench("bench/launch/run --hosts 1 --slots 1 --rounds 1 --adarun {bin}/adarun", "| adarun launch |",
                    ("mpirun", "mpicc")),
    "logs": Bench("bench/logs/run --hosts 1 --files 1 --megabytes 1 --rounds 1 --adarun {bin}/adarun",
                  "| adarun logs --collect |", ("clush", "scp")),
    "monitor": Bench("bench/monitor/run --megabytes 1 --rounds 1 --bin {bin}", "adarun monitor --once"),
    "output": Bench("bench/output/run --hosts 1 --slots 1 --megabytes 1 --rounds 1 --adarun {bin}/adarun", "| adarun launch |"),
    "ranktable": Bench("bench/ranktable/run --servers 2 --rounds 1 --bin {bin}", "| merge |"),
    "recover": Bench("bench/recover/run --hosts 2 --slots 1 --rounds 1 --bin {bin}", "| an agent is killed | a spare |"),
    "scale": Bench("{bin}/bench-scale 4 1", "| to its end | 0 |"),
    "stage": Bench("bench/stage/run --hosts 1 --megabytes 1 --rounds 1 --adarun {bin}/adarun", "| adarun launch --stage |",
                   ("scp",)),
}

TRAINS = "it trains for minutes at its smallest"
NOT_RUN = {
    "boost": TRAINS,
    "busy": "it stops processes for seconds, on busy cores",
    "convergence": TRAINS,
    "data": "it needs the trainer, and PIL beside it",
    "elastic": TRAINS,
    "faults": "e2e.faults goes through the same faults",
    "plan": TRAINS,
    "trainer": TRAINS,
}
