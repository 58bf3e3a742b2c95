// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "adasum/communicators/communicator.h"

/// Checks of plans that run at the same time as other work, in any world; like world_checks.h.
namespace adasum::checks {

/// Several plans that are started, progressed and waited for in turns give the same results as each alone,
/// with every algorithm.
void active_plans(Communicator& communicator);

/// Plans that are destroyed while they are active do not affect later plans of their engines.
void destroyed_plans(Communicator& communicator);

/// Buckets give the result of one plan for all tensors, in any order of tensors on each rank, repeatedly.
void buckets(Communicator& communicator);

/// NaN in one bucket is found by all ranks, and no tensor is changed.
void buckets_not_finite(Communicator& communicator);

}  // namespace adasum::checks
