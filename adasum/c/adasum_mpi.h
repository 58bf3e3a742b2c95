/* SPDX-License-Identifier: Apache-2.0 */
/* AdaSum over the ranks of an MPI communicator, for C and for languages that can call C. */
#ifndef ADASUM_MPI_H
#define ADASUM_MPI_H

#include <mpi.h>
#include <stdint.h>

#include "adasum.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Combines `n` tensors of all ranks of `comm` by AdaSum, each tensor by itself, in place, with the same bits
 * on every rank. Sums in double, each combination rounded once. `options` may be NULL: the defaults.
 * Collective over `comm`: every rank passes the same number of tensors, counts, type and options, or all get
 * ADASUM_DIFFER. Later calls with the same tensors reuse its preparation.
 *
 * Returns 0 or an adasum_error, the same on every rank except for ADASUM_FAILED. After ADASUM_NOT_FINITE
 * adasum_last_error() names the rank by its number in MPI_COMM_WORLD.
 */
int adasum_allreduce_mpi(adasum_tensor* tensors, int64_t n, adasum_dtype dtype, MPI_Comm comm,
                         const adasum_options* options);

/*
 * As adasum_allreduce_mpi, for tensors that are split over several ranks, as in model parallelism. `comm` has
 * the ranks that hold the same parts as this one, one per replica of the model; `parts` has the ranks of this
 * rank's replica, in the same order in all replicas. The result has the parts of AdaSum of the whole tensors.
 * Ranks of `parts` pass the same number of tensors, type and options; counts may differ, and may be 0. A
 * tensor that all of them hold whole gets the same result on all of them. Collective over both communicators;
 * the algorithm is ADASUM_AUTO or ADASUM_GRAM. Errors reach the ranks of all replicas. After
 * ADASUM_NOT_FINITE adasum_last_error() names the replica: the rank in `comm` of those that hold it.
 */
int adasum_allreduce_parts_mpi(adasum_tensor* tensors, int64_t n, adasum_dtype dtype, MPI_Comm comm,
                               MPI_Comm parts, const adasum_options* options);

/*
 * Allocates memory that the ranks of a node read in place: if all tensors are in such memory, nothing is
 * copied. `bytes` may differ between ranks. The memory is zeroed and page-aligned. Collective over `comm`.
 * ADASUM_FAILED on all ranks, which may continue, if one has no memory, or passes a negative number.
 * Free it before freeing `comm`.
 */
int adasum_alloc(int64_t bytes, MPI_Comm comm, void** ptr);

#ifdef __cplusplus
}
#endif

#endif
