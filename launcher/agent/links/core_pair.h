// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace adarun::launcher::agent {

/// What messages between two processes of a node cost, through memory that both have.
struct CorePairCosts {
  std::uint64_t message_ns = 0;
  std::uint64_t bytes_per_s = 0;
};

/// Between processes on the CPUs `a` and `b`, this one and a child of it. Takes about 50 ms. Throws
/// agent::Error.
CorePairCosts measure_core_pair(int a, int b);

}  // namespace adarun::launcher::agent
