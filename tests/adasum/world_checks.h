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

}  // namespace adasum::checks
