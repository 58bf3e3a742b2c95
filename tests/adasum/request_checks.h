// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "adasum/communicators/communicator.h"

/// Checks of plans that are active beside other work, in any world; as world_checks.h.
namespace adasum::checks {

/// Several plans started, gone on with and waited for in turns give what each gives alone, by every
/// algorithm.
void active_plans(Communicator& communicator);

/// Plans that are destroyed while they are active leave nothing behind for the next ones of their engines.
void destroyed_plans(Communicator& communicator);

/// Buckets give what one plan gives for all tensors, whatever order each rank has its tensors in, again and
/// again.
void buckets(Communicator& communicator);

/// NaN in one bucket is found by all, and leaves all of them what they were.
void buckets_not_finite(Communicator& communicator);

}  // namespace adasum::checks
