// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "launcher/hosts/host.h"

namespace adarun::launcher {

/// A node of a job in whose place a spare has gone on, while the job ran. It may have kept output that it
/// could not deliver.
struct ReplacedNode {
  std::uint32_t number = 0;  ///< Of the node in the job; the spare has it now.
  Host host;
  std::vector<std::uint32_t> ranks;  ///< That ran there.
};

}  // namespace adarun::launcher
