# SPDX-License-Identifier: Apache-2.0
"""docs/convergence.md."""
from cases import not_run, replaced

CASES = [
    not_run("bench/convergence/run --data-path MNIST --out docs/convergence/results.jsonl", "it trains for an hour and a half"),
    replaced("bench/convergence/report docs/convergence/results.jsonl --plots docs/convergence",
             "bench/convergence/report docs/convergence/results.jsonl --plots plots",
             "the plots of the source are not to be written by a test", before="mkdir plots"),
]
