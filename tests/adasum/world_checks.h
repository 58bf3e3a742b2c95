// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "adasum/communicators/communicator.h"

/// Checks that hold in any world, whether its ranks are threads or MPI processes. Every rank calls them with
/// its communicator.
namespace adasum::checks {

/// Compares with the golden values for this world's size, if there are any, in float and in double.
void golden_values(Communicator& communicator);

/// Compares random data of `size` elements, as one tensor and as several, with the slow tree, in all types
/// and with all algorithms that accept this world; all ranks have the same bits. Groups of `group_size` ranks
/// take their mean first.
enum class Types { all, only_float };
void slow_tree(Communicator& communicator, std::size_t size, int group_size = 1, Types types = Types::all);

/// The same bits as from threads of one process, `ranks_per_node` of them on each node (0: all), in all types
/// and with all algorithms that accept this world; or, because the order in which MPI adds is its own, with
/// those that add in shared memory.
enum class Adds { anywhere, in_shared_memory };
void same_bits_as_threads(Communicator& communicator, int ranks_per_node = 0, Adds adds = Adds::anywhere);

/// Compares with slow_tree for the sizes that have broken other engines in this world, and all groupings.
void slow_tree_sizes(Communicator& communicator);

/// Whether ranks of a node are combined in their shared memory.
void takes_shared_memory(Communicator& communicator, bool wanted);

/// A world whose size has no balanced tree is refused with its size in the message, and is accepted when all
/// ranks are one group.
void refuses_world(Communicator& communicator);

/// NaN or an infinity on any one rank is found by all, with every algorithm, and changes nothing.
void not_finite(Communicator& communicator);

/// A result that is too large for its type is not finite, which is no error, and other tensors are as usual,
/// with every algorithm.
void result_too_large(Communicator& communicator, int group_size);

/// Lists of tensors that differ are an error on every rank.
void lists_that_differ(Communicator& communicator);

/// exchange, broadcast, all_gather, sum and split do what Communicator promises.
void communicator_contract(Communicator& communicator);

// Plans that run at the same time as other work (request_checks.cpp).

/// Several plans that are started, progressed and waited for in turns give the same results as each alone,
/// with every algorithm.
void active_plans(Communicator& communicator);

/// Plans that are destroyed while they are active do not affect later plans of their engines.
void destroyed_plans(Communicator& communicator);

/// Buckets give the result of one plan for all tensors, in any order of tensors on each rank, repeatedly.
void buckets(Communicator& communicator);

/// NaN in one bucket is found by all ranks, and no tensor is changed.
void buckets_not_finite(Communicator& communicator);

// Engines whose ranks hold parts of tensors (parts_checks.cpp), in a world whose size is a multiple of
// `parts`: so many consecutive ranks are one replica.

/// The parts of the result are those of the slow tree of whole tensors, with the same bits on all replicas,
/// for tensors that are split evenly, unevenly, into empty parts, or not at all; groups of `group_size`
/// replicas take their mean first.
void parts_of_tensors(Communicator& communicator, int parts, int group_size = 1);

/// NaN on any one rank is found by all ranks of all replicas, and changes nothing.
void parts_not_finite(Communicator& communicator, int parts);

/// Whole steps by gradients and by deltas, with and without the gain of groups, are those of whole tensors.
void steps_of_parts(Communicator& communicator, int parts);

}  // namespace adasum::checks
