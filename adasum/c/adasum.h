/* SPDX-License-Identifier: Apache-2.0 */
/* AdaSum over the ranks of an MPI communicator, for C and for languages that can call C. */
#ifndef ADASUM_H
#define ADASUM_H

#include <mpi.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum { ADASUM_FLOAT32, ADASUM_FLOAT64, ADASUM_FLOAT16, ADASUM_BFLOAT16 } adasum_dtype;

/* `count` consecutive elements, beginning at `data`. */
typedef struct {
  void* data;
  int64_t count;
} adasum_tensor;

/* How the result is computed. The results differ only by rounding. */
typedef enum {
  ADASUM_AUTO,  /* chosen by the world and where the data is in memory */
  ADASUM_TREE,  /* vector halving, distance doubling: fewest messages; powers of two only */
  ADASUM_GRAM,  /* one exchange of dot products */
  ADASUM_SHARED /* in memory that the ranks of a node share */
} adasum_algorithm;

/* The same on all ranks. Zeroes are the defaults. */
typedef struct {
  int group_size; /* neighbours that are averaged first; 0 or 1: none */
  adasum_algorithm algorithm;
  int any_world; /* not 0: also accepts numbers of groups that are not a power of two */
} adasum_options;

/* Return values of the functions below. */
typedef enum {
  ADASUM_OK = 0,
  ADASUM_NOT_FINITE = 1, /* some rank has NaN or an infinity; the tensors are unchanged on all ranks */
  ADASUM_DIFFER = 2,     /* the ranks' tensor lists, types or options differ, or are invalid */
  ADASUM_WORLD = 3,      /* the world does not fit the options */
  ADASUM_FAILED = 4      /* a peer has ended, or memory is short; the tensors may be partly written */
} adasum_error;

/*
 * Combines `n` tensors of all ranks of `comm` by AdaSum, each tensor by itself, in place, with the same bits
 * on every rank. Sums in double, each combination rounded once. `options` may be NULL: the defaults.
 * Collective over `comm`: every rank passes the same number of tensors, counts, type and options, or all get
 * ADASUM_DIFFER. If the tensors are those of the previous call, its preparation is reused.
 *
 * Returns 0 or an adasum_error, the same on every rank except for ADASUM_FAILED.
 */
int adasum_allreduce_mpi(adasum_tensor* tensors, int64_t n, adasum_dtype dtype, MPI_Comm comm,
                         const adasum_options* options);

/*
 * As adasum_allreduce_mpi, for tensors that are split over several ranks, as in model parallelism. `comm` has
 * the ranks that hold the same parts as this one, one per replica of the model; `parts` has the ranks of this
 * rank's replica, in the same order in all replicas. The result has the parts of AdaSum of the whole tensors.
 * Ranks of `parts` pass the same number of tensors, type and options; counts may differ, and may be 0. A
 * tensor that all of them hold whole gets the same result on all of them. Collective over both communicators;
 * the algorithm is ADASUM_AUTO or ADASUM_GRAM. Errors reach the ranks of all replicas.
 */
int adasum_allreduce_parts_mpi(adasum_tensor* tensors, int64_t n, adasum_dtype dtype, MPI_Comm comm,
                               MPI_Comm parts, const adasum_options* options);

/*
 * Allocates memory that the ranks of a node read in place: if all tensors are in such memory, nothing is
 * copied. `bytes` may differ between ranks. The memory is zeroed and page-aligned. Collective over `comm`.
 * Free it before freeing `comm`.
 */
int adasum_alloc(int64_t bytes, MPI_Comm comm, void** ptr);

/* Frees memory of adasum_alloc; NULL is allowed. Collective, in the same order on all ranks. */
void adasum_free(void* ptr);

/* One line about the last call of this thread that did not return 0. Valid until the next such call. */
const char* adasum_last_error(void);

#ifdef __cplusplus
}
#endif

#endif
