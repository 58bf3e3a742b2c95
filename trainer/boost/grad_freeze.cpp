// SPDX-License-Identifier: Apache-2.0
#include "trainer/boost/grad_freeze.h"

#include <algorithm>
#include <cmath>

#include "trainer/base/random.h"

namespace adarun::trainer {
namespace {

/// The first tensor of each chunk.
std::vector<std::size_t> chunk_begins(const std::vector<bool>& continues) {
  constexpr std::size_t full = 3;
  std::vector<std::size_t> begins = {0};
  for (std::size_t tensor = 1; tensor < continues.size(); ++tensor) {
    if (!continues[tensor] && tensor - begins.back() >= full) begins.push_back(tensor);
  }
  return begins;
}

}  // namespace

FreezeGroups freeze_groups(const std::vector<bool>& continues, int groups) {
  const std::vector<std::size_t> begins = chunk_begins(continues);
  const auto count = static_cast<std::size_t>(groups);
  const std::size_t stride = begins.size() / count;
  FreezeGroups made{begins.size(), {}};
  for (std::size_t group = 0; group < count; ++group) made.first_tensor.push_back(begins[group * stride]);
  return made;
}

namespace {

using Groups = std::vector<std::uint16_t>;

// Those of data and augmentation have other high bits.
constexpr std::uint64_t stream = (std::uint64_t{1} << 60U) + 1;

Groups periodic(int groups, double full_share, std::size_t length) {
  const double full = std::floor(full_share * (groups - 1) / (1 - full_share));
  Groups sequence;
  while (sequence.size() < length) {
    // With more full rounds than the sequence is long, it has nothing else.
    sequence.insert(sequence.end(), static_cast<std::size_t>(std::min(full, static_cast<double>(length))), 0);
    for (int group = 1; group < groups; ++group) sequence.push_back(static_cast<std::uint16_t>(group));
  }
  return sequence;
}

Groups drawn(int groups, double full_share, std::size_t length, std::uint64_t seed) {
  std::vector<std::uint32_t> ends;  // of groups 1, 2, ...: each has a weight of groups - i
  for (int group = 1; group < groups; ++group)
    ends.push_back((ends.empty() ? 0 : ends.back()) + static_cast<std::uint32_t>(groups - group));
  Random random(seed, stream);
  const auto draw = [&] {
    const auto end = std::ranges::upper_bound(ends, random.below(ends.back()));
    return static_cast<std::uint16_t>(end - ends.begin() + 1);
  };
  Groups sequence = {0};
  double frozen = 0;
  while (sequence.size() < length) {
    const bool freezes = frozen / static_cast<double>(sequence.size()) < 1 - full_share;
    sequence.push_back(freezes ? draw() : std::uint16_t{0});
    if (freezes) ++frozen;
  }
  return sequence;
}

}  // namespace

FreezeSequence::FreezeSequence(const GradFreezeOptions& options, std::uint64_t seed) {
  const auto length = static_cast<std::size_t>(std::max(1.0, std::floor(1.01 * options.total_steps)));
  if (options.groups <= 1) {
    groups_ = {0};
  } else if (options.order == FreezeOrder::periodic) {
    groups_ = periodic(options.groups, options.full_share, length);
  } else {
    groups_ = drawn(options.groups, options.full_share, length, seed);
  }
}

}  // namespace adarun::trainer
