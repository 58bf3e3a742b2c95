#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""AdaSum from Python through ctypes: mpirun -n 4 allreduce.py [LIBADASUM].

The argument or ADASUM_LIBRARY names the library. Without them it is the first that loads: the loader's (LD_LIBRARY_PATH,
/etc/ld.so.conf), pkg-config's.
"""
import ctypes
import os
import subprocess
import sys

NAME = "libadasum_mpi.so.0"


def of_pkg_config():
    try:
        said = subprocess.run(["pkg-config", "--libs-only-L", "adasum_mpi"], capture_output=True, text=True, check=False, timeout=10,
                              env={**os.environ, "PKG_CONFIG_ALLOW_SYSTEM_LIBS": "1"})
    except (OSError, subprocess.TimeoutExpired):
        return []
    return [os.path.join(flag[2:], NAME) for flag in said.stdout.split()]


def load():
    named = sys.argv[1] if len(sys.argv) > 1 else os.environ.get("ADASUM_LIBRARY")
    refusals = []
    for place in [named] if named else [NAME, *of_pkg_config()]:
        try:
            return ctypes.CDLL(place)
        except OSError as refusal:
            refusals.append(f"  {refusal}")
    sys.exit("\n".join(["allreduce.py: no AdaSum library: name it as the argument or in ADASUM_LIBRARY; looked by the loader "
                        "(LD_LIBRARY_PATH) and by pkg-config (PKG_CONFIG_PATH):", *refusals]))


mpi = ctypes.CDLL("libmpi.so.40", mode=ctypes.RTLD_GLOBAL)
adasum = load()
adasum.adasum_last_error.restype = ctypes.c_char_p
COMM_WORLD = ctypes.c_void_p.in_dll(mpi, "ompi_mpi_comm_world")  # the object itself, whose address is MPI_COMM_WORLD
FLOAT32 = 0


class Tensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("count", ctypes.c_int64)]


def rank_of(comm):
    rank = ctypes.c_int()
    mpi.MPI_Comm_rank(comm, ctypes.byref(rank))
    return rank.value


def main():
    mpi.MPI_Init(None, None)
    world = ctypes.c_void_p(ctypes.addressof(COMM_WORLD))
    rank = rank_of(world)
    gradients = (ctypes.c_float * 4)(2, 2, rank == 0, rank == 1)
    first = ctypes.addressof(gradients)
    tensors = (Tensor * 2)((first, 2), (first + 8, 2))
    failed = adasum.adasum_allreduce_mpi(tensors, ctypes.c_int64(2), FLOAT32, world, None)
    if failed:
        sys.exit(f"rank {rank}: {adasum.adasum_last_error().decode()}")
    if rank == 0:
        print(*gradients)
    mpi.MPI_Finalize()


if __name__ == "__main__":
    main()
