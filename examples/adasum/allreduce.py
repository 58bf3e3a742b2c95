#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""AdaSum from Python with nothing but ctypes: mpirun -n 4 allreduce.py [LIBADASUM]."""
import ctypes
import sys

mpi = ctypes.CDLL("libmpi.so.40", mode=ctypes.RTLD_GLOBAL)
adasum = ctypes.CDLL(sys.argv[1] if len(sys.argv) > 1 else "libadasum.so.0")
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
