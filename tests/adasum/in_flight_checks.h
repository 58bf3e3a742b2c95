// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "adasum/peers.h"

/// Checks of plans that are under way beside other work, in any world; as world_checks.h.
namespace adasum::checks {

/// Several plans started, gone on with and waited for in turns give what each gives alone, by every algorithm.
void plans_in_flight(Peers& peers);

/// Plans that go while they are under way leave nothing behind for the next ones of their engines.
void plans_that_go(Peers& peers);

/// Buckets give what one plan gives for all tensors, whatever order each rank has its tensors in, again and again.
void buckets(Peers& peers);

/// NaN in one bucket is found by all, and leaves all of them what they were.
void buckets_not_finite(Peers& peers);

}  // namespace adasum::checks
