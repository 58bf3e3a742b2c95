# SPDX-License-Identifier: Apache-2.0
"""docs/slurm.md, on a Slurm cluster of two nodes."""
from cases import replaced, set_up_by
from setting import PROGRAMS

SLURM = True
SETTING = PROGRAMS
CASES = [
    replaced("salloc -N2 --ntasks-per-node=8 adarun train --via slurm -- --model lenet5 --epochs 2",
             "salloc -Q -N2 --ntasks-per-node=8 adarun train --via slurm -- --model lenet5 --max-steps 1",
             "the same with one step"),
    set_up_by("sbatch job.sh", "true"),
]
TIDYING = "until test -z \"$(squeue -h)\"; do sleep 0.1; done; ls log_output.*/worker_15.log"
