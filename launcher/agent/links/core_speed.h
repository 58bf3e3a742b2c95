// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
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

/// Float32 operations/s of the calling thread: multiplications and additions in registers, as wide as this
/// processor has them (AVX-512, AVX2 with FMA, else the least of its kind).
double operations_per_s(std::chrono::nanoseconds time);

/// Bytes/s that the calling thread copies between two blocks of 32 MiB, more than most caches hold.
double copied_bytes_per_s(std::chrono::nanoseconds time);

}  // namespace adarun::launcher::agent
