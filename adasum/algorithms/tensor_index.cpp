// SPDX-License-Identifier: Apache-2.0
#include "adasum/algorithms/tensor_index.h"

#include <algorithm>
#include <numeric>

namespace adasum::algorithms {

TensorIndex::TensorIndex(const Layout& layout, std::span<const Range> shares, Range mine, Shared shared) {
  if (shared == Shared::all_tensors) {
    shared_.resize(layout.tensors());
    std::iota(shared_.begin(), shared_.end(), std::size_t{0});
    return;
  }
  for (const Range& share : shares) {
    if (share.begin >= layout.whole().end) break;
    const std::size_t tensor = layout.tensor_of(share.begin);
    const bool is_known = !shared_.empty() && shared_.back() == tensor;
    if (layout.tensor(tensor).begin < share.begin && !is_known) shared_.push_back(tensor);
  }
  layout.for_each_part(mine, [&](std::size_t tensor, Range) {
    if (std::ranges::binary_search(shared_, tensor)) return;
    if (own_ == 0) first_own_ = tensor;
    own_ = tensor - first_own_ + 1;
  });
}

std::size_t TensorIndex::of(std::size_t tensor) const {
  const auto found = std::ranges::lower_bound(shared_, tensor);
  if (found != shared_.end() && *found == tensor) return static_cast<std::size_t>(found - shared_.begin());
  return shared() + tensor - first_own_;
}

}  // namespace adasum::algorithms
