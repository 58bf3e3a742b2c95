/* SPDX-License-Identifier: Apache-2.0 */
/* AdaSum over the ranks of an MPI communicator, for C and for languages that speak with C. */
#ifndef ADASUM_H
#define ADASUM_H

#include <mpi.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum { ADASUM_FLOAT32, ADASUM_FLOAT64, ADASUM_FLOAT16, ADASUM_BFLOAT16 } adasum_dtype;

/* `count` elements that lie one after the other from `data` on. */
typedef struct {
  void* data;
  int64_t count;
} adasum_tensor;

/* How the result is found; it is the same but for rounding. */
typedef enum {
  ADASUM_AUTO,  /* by the world, and where the data is */
  ADASUM_TREE,  /* vector halving, distance doubling: fewest messages; powers of two */
  ADASUM_GRAM,  /* one exchange of dot products */
  ADASUM_SHARED /* in memory that the ranks of a node share */
} adasum_algorithm;

/* The same on all ranks. Zeroes are the defaults. */
typedef struct {
  int group_size; /* neighbours that take their mean first; 0 and 1: none */
  adasum_algorithm algorithm;
  int any_world; /* not 0: numbers of groups that are no power of two are taken as well */
} adasum_options;

/* What the functions below return. */
typedef enum {
  ADASUM_OK = 0,
  ADASUM_NOT_FINITE = 1, /* some rank has NaN or an infinity: all tensors are what they were, on all ranks */
  ADASUM_DIFFER = 2, /* ranks have been given different lists of tensors, types or options, or wrong ones */
  ADASUM_WORLD = 3,  /* the world does not fit the options */
  ADASUM_FAILED = 4  /* a peer is gone, or memory is short; the tensors may be half done */
} adasum_error;

/*
 * Combines `n` tensors of all ranks of `comm` by AdaSum, each tensor by itself, in place, with the same bits
 * on every rank. Sums in double, each combination rounded once. `options` NULL: the defaults. Collective over
 * `comm`: every rank with the same number of tensors, counts, type and options, or all get ADASUM_DIFFER.
 * Where the tensors are those of the call before, nothing is prepared anew.
 *
 * 0, or an adasum_error, the same on every rank but for ADASUM_FAILED.
 */
int adasum_allreduce_mpi(adasum_tensor* tensors, int64_t n, adasum_dtype dtype, MPI_Comm comm,
                         const adasum_options* options);

/*
 * Memory that the ranks of a node read in place, so that nothing is copied where all tensors lie in it:
 * `bytes` zeroes, which may differ between ranks. Collective over `comm`. Aligned to pages. To be freed
 * before `comm` is.
 */
int adasum_alloc(int64_t bytes, MPI_Comm comm, void** ptr);

/* Gives memory of adasum_alloc back; NULL is none. Collective, in the same order on all ranks. */
void adasum_free(void* ptr);

/* One line on what the last call of this thread that did not return 0 was about. Valid until the next one. */
const char* adasum_last_error(void);

#ifdef __cplusplus
}
#endif

#endif
