// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>

namespace adarun::launcher::agent {

/// Float32 operations/s of the calling thread: multiplications and additions in registers, as wide as this
/// processor has them (AVX-512, AVX2 with FMA, else the least of its kind).
double operations_per_s(std::chrono::nanoseconds time);

/// Bytes/s that the calling thread copies between two blocks of 32 MiB, more than most caches hold.
double copied_bytes_per_s(std::chrono::nanoseconds time);

}  // namespace adarun::launcher::agent
