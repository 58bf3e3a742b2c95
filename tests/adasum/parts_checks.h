// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "adasum/communicators/communicator.h"

/// Checks of engines whose ranks hold parts of tensors, in any world. Every rank calls them with its
/// communicator, whose size is a multiple of `parts`: so many consecutive ranks are one replica.
namespace adasum::checks {

/// The parts of the result are those of the slow tree of whole tensors, with the same bits on all replicas,
/// for tensors that are split evenly, unevenly, into empty parts, or not at all; groups of `group_size`
/// replicas take their mean first.
void parts_of_tensors(Communicator& communicator, int parts, int group_size = 1);

/// NaN on any one rank is found by all ranks of all replicas, and changes nothing.
void parts_not_finite(Communicator& communicator, int parts);

/// Whole steps by gradients and by deltas, with and without the gain of groups, are those of whole tensors.
void steps_of_parts(Communicator& communicator, int parts);

}  // namespace adasum::checks
