// SPDX-License-Identifier: Apache-2.0
#include "trainer/boost/freeze_groups.h"

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

}  // namespace adarun::trainer
