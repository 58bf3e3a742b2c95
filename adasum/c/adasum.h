/* SPDX-License-Identifier: Apache-2.0 */
/* AdaSum over the ranks of a job, for C and for languages that can call C. Over MPI: adasum_mpi.h. */
#ifndef ADASUM_H
#define ADASUM_H

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

/* How the result is computed. The results differ only by rounding, those of ADASUM_TREE for double if vectors
 * at each level of the tree are of lengths between 1e-146 and 1e154. */
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
  ADASUM_NOT_FINITE = 1,     /* some rank has NaN or an infinity; the tensors are unchanged on all ranks */
  ADASUM_DIFFER = 2,         /* the ranks' tensor lists, types or options differ, or are invalid */
  ADASUM_WORLD = 3,          /* the world does not fit the options */
  ADASUM_FAILED = 4,         /* a peer has ended, or memory is short; the tensors may be partly written */
  ADASUM_MEMBERS_CHANGED = 5 /* some ranks have ended or come back; the world is that of those there */
} adasum_error;

/* The ranks of a job, connected by TCP. One thread. */
typedef struct adasum_world adasum_world;

/*
 * Connects the ranks as the environment says: PMI_FD, PMI_RANK, PMI_SIZE (set by adarun), else MASTER_ADDR,
 * MASTER_PORT, RANK, WORLD_SIZE and ADASUM_SECRET (64 hexadecimal digits, the same on all ranks and known to
 * nobody else). What they send each other is authenticated by that secret, unless ADASUM_PLAIN is 1, on all
 * ranks or on none. Collective. ADASUM_FAILED if the ranks do not connect within a minute; with PMI that
 * minute begins when all ranks have called this, for which each waits half an hour.
 */
int adasum_world_join(adasum_world** world);

/*
 * The same under `adarun launch --min-ranks N`, whose job continues when ranks end, and with those that are
 * started again (`--rank-restarts N`). The call in which that happens, adasum_allreduce or adasum_broadcast,
 * then returns ADASUM_MEMBERS_CHANGED on all ranks that are there, some of which may have completed the same
 * call before and notice at their next one. From then on rank and size are those of the ranks that are there.
 * What the call was to write is undefined: the ranks agree on a state, for example by adasum_broadcast of
 * adasum_world_oldest's, and continue. So does each rank at its start: it may have been started again, or
 * another rank may have ended before this call returned, and those that are there already may have been told
 * of it. A program ends behind a call to which each rank has to contribute, such as adasum_allreduce of one
 * value: in the last step, too, some ranks may have completed a call in which another one has ended. The
 * world has no adasum_world_alloc. Once in a process, which can join no other world by adasum_world_join from
 * then on.
 */
int adasum_world_join_elastic(adasum_world** world);

/*
 * The same with addresses of one's own. Rank 0 first calls adasum_world_listen, for a name or an address of
 * its machine, or "" for all of them, and tells the others `port` and `secret` by other means; then all call
 * adasum_world_connect, rank 0 with `root`, the others with NULL. `host` is then where the others find rank
 * 0; "" is refused without `root`. adasum_world_connect frees `root`, also if it fails; adasum_root_free one
 * that is not to be used.
 */
typedef struct adasum_root adasum_root;
int adasum_world_listen(const char* host, int* port, char secret[65], adasum_root** root);
void adasum_root_free(adasum_root* root);
int adasum_world_connect(int rank, int size, const char* host, int port, const char* secret,
                         adasum_root* root, adasum_world** world);

/* Of this process, and how many there are; after a failure, what they were before. */
int adasum_world_rank(const adasum_world* world);
int adasum_world_size(const adasum_world* world);

/*
 * The rank that has been in a world of adasum_world_join_elastic for longest: others may take its state. One
 * that was started again counts from its first adasum_allreduce on, before which it has taken the others'.
 */
int adasum_world_oldest(const adasum_world* world);

/*
 * Combines `n` tensors of all ranks of `world` by AdaSum, each tensor by itself, in place, with the same bits
 * on every rank. Sums in double, each combination rounded once; a result that is too large for its type is
 * an infinity or NaN. `options` may be NULL: the defaults.
 * Collective: every rank passes the same number of tensors, counts, type and options, or all get
 * ADASUM_DIFFER. The preparation for up to 32 lists of tensors, of up to 1 GiB, is used again. Every
 * wait has a deadline: when a rank has ended, or does not call within half an hour, the others get
 * ADASUM_FAILED, and so they do in all later calls.
 *
 * Returns 0 or an adasum_error, the same on every rank except for ADASUM_FAILED.
 */
int adasum_allreduce(adasum_tensor* tensors, int64_t n, adasum_dtype dtype, adasum_world* world,
                     const adasum_options* options);

/*
 * Copies `bytes` bytes at `data` of rank `root` to all ranks. Collective. ADASUM_DIFFER: no such rank.
 * ADASUM_FAILED as above, also on the others where one rank passes NULL.
 */
int adasum_broadcast(void* data, int64_t bytes, int root, adasum_world* world);

/*
 * Allocates memory that the ranks of a node read in place: if all tensors are in such memory, nothing is
 * copied. `bytes` may differ between ranks. The memory is zeroed and page-aligned. Collective.
 * ADASUM_FAILED on all ranks, which may continue, if one has no memory, or passes a negative number.
 * Free it before the world, which frees what is left.
 */
int adasum_world_alloc(int64_t bytes, adasum_world* world, void** ptr);

/*
 * Tells the other ranks that this one makes no further call, because something else has failed on it: where
 * they wait for it, or call later, they get ADASUM_FAILED, and adasum_last_error() names this rank. In a
 * world of adasum_world_join_elastic they get ADASUM_MEMBERS_CHANGED once this process has ended. NULL is
 * allowed. Not collective.
 */
void adasum_world_give_up(adasum_world* world);

/* Ends the connections; NULL is allowed. Not collective: the others notice at their next call. */
void adasum_world_free(adasum_world* world);

/* Frees memory of adasum_world_alloc or adasum_alloc; NULL is allowed. Collective, in the same order on all
 * ranks. */
void adasum_free(void* ptr);

/* One line about the last call of this thread that did not return 0. Valid until the next such call. */
const char* adasum_last_error(void);

#ifdef __cplusplus
}
#endif

#endif
