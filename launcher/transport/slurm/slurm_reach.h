// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "launcher/transport/reach/reach.h"

namespace adarun::launcher {

/// An agent on each node of the Slurm job that this process is part of, each over its own srun. It must be
/// installed there, as none is brought. Names of nodes are known to the resolver; ~/.ssh/config does not
/// apply to them.
std::shared_ptr<const Reach> slurm_reach();

}  // namespace adarun::launcher
