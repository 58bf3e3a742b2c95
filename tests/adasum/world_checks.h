// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "adasum/communicators/communicator.h"

/// Checks that hold in any world, be its ranks threads or MPI processes: every rank calls them with its
/// communicator.
namespace adasum::checks {

/// The golden values for this world's size, where there are some, in float and in double.
void golden_values(Communicator& communicator);

/// Random data of `size` elements, as one tensor and as several, against the slow tree, in all types and by
/// all algorithms that take this world, with the same bits on all ranks. Groups of `group_size` ranks take
/// their mean first.
enum class Types { all, only_float };
void slow_tree(Communicator& communicator, std::size_t size, int group_size = 1, Types types = Types::all);

/// slow_tree over the sizes that have broken other engines in this world, and all groupings.
void slow_tree_sizes(Communicator& communicator);

/// Whether ranks of a node are combined in the memory that they share.
void takes_shared_memory(Communicator& communicator, bool wanted);

/// A world of a size that has no balanced tree is refused with its size in the message, and works again when
/// grouped into one.
void refuses_world(Communicator& communicator);

/// NaN or an infinity on any one rank is found by all, by every algorithm, and changes nothing.
void not_finite(Communicator& communicator);

/// Lists of tensors that differ are an error on every rank.
void lists_that_differ(Communicator& communicator);

/// exchange, broadcast, all_gather, sum and split do what Communicator promises.
void communicator_contract(Communicator& communicator);

}  // namespace adasum::checks
