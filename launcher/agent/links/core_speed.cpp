// SPDX-License-Identifier: Apache-2.0
#include "launcher/agent/links/core_speed.h"

#include <cstddef>
#include <cstring>
#include <vector>

#include "launcher/agent/base/clock.h"

namespace adarun::launcher::agent {
namespace {

constexpr std::size_t copied_block_bytes = std::size_t{32} << 20U;
constexpr std::size_t copy_bytes = std::size_t{1} << 20U;  // Between two looks at the clock.
constexpr int rounds = 4096;                               // Likewise.
constexpr int chains = 10;  // Independent of one another, so that none waits for its last result.

using Float4 [[gnu::vector_size(16)]] = float;
using Float8 [[gnu::vector_size(32)]] = float;
using Float16 [[gnu::vector_size(64)]] = float;

// Its result depends on every operation, so that none is left out.
template <typename Vector>
[[gnu::always_inline]] inline float multiply_and_add() {
  Vector sums[chains] = {};  // NOLINT: a std::array of these is not kept in registers
  const Vector factor = Vector{} + 0.999F;
  const Vector term = Vector{} + 0.001F;
  for (int round = 0; round < rounds; ++round) {
    for (Vector& sum : sums) sum = sum * factor + term;
  }
  float total = 0;
  for (const Vector& sum : sums) total += sum[0];
  return total;
}

using Kernel = float (*)();

float multiply_and_add_4() {
  return multiply_and_add<Float4>();
}

#ifdef __x86_64__
[[gnu::target("avx2,fma")]] float multiply_and_add_8() {
  return multiply_and_add<Float8>();
}

[[gnu::target("avx512f")]] float multiply_and_add_16() {
  return multiply_and_add<Float16>();
}
#endif

struct Widest {
  Kernel kernel = multiply_and_add_4;
  int floats = 4;
};

Widest widest() {
#ifdef __x86_64__
  if (__builtin_cpu_supports("avx512f") != 0) return {multiply_and_add_16, 16};
  if (__builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0)
    return {multiply_and_add_8, 8};
#endif
  return {};
}

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

}  // namespace

double operations_per_s(std::chrono::nanoseconds time) {
  const auto [kernel, floats] = widest();
  const double of_call = 2.0 * rounds * chains * floats;
  [[maybe_unused]] volatile float result = kernel();
  double operations = 0;
  const Clock::time_point begin = Clock::now();
  do {
    result = kernel();
    operations += of_call;
  } while (Clock::now() < begin + time);
  return operations / seconds_since(begin);
}

double copied_bytes_per_s(std::chrono::nanoseconds time) {
  std::vector<char> from(copied_block_bytes, 1);
  std::vector<char> to(copied_block_bytes, 2);
  double bytes = 0;
  const Clock::time_point begin = Clock::now();
  for (std::size_t at = 0; Clock::now() < begin + time; at = (at + copy_bytes) % copied_block_bytes) {
    std::memcpy(to.data() + at, from.data() + at, copy_bytes);
    asm volatile("" : : "r"(to.data()) : "memory");  // NOLINT: the copy is used
    bytes += static_cast<double>(copy_bytes);
  }
  return bytes / seconds_since(begin);
}

}  // namespace adarun::launcher::agent
