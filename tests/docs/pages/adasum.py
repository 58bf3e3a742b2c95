# SPDX-License-Identifier: Apache-2.0
"""docs/adasum.md."""
from cases import not_run

CASES = [not_run(command, "mpi.adasum_package builds these examples from the installed library and runs them") for command in
         ("mpirun -n 4 adasum-c", "mpirun -n 4 adasum-cpp", "mpirun -n 4 python3 allreduce.py")]
