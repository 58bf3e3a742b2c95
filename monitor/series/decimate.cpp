// SPDX-License-Identifier: Apache-2.0
#include "monitor/series/decimate.h"

#include <algorithm>
#include <utility>

namespace adarun::monitor {

Decimator::Decimator(double from, double to, std::size_t most, std::size_t points)
    : from_(from),
      to_(to),
      per_x_(points > most && to > from ? static_cast<double>(most) / (to - from) : 0),
      most_(most) {
  slices_.reserve(std::min(most, points));
}

void Decimator::add(const Slice& point) {
  if (point.x < from_ || point.x > to_) return;
  const std::size_t number = per_x_ == 0
                                 ? slices_.size()
                                 : std::min(static_cast<std::size_t>((point.x - from_) * per_x_), most_ - 1);
  if (slices_.empty() || number != current_) {
    slices_.push_back(point);
    middles_ = point.finite ? 1 : 0;
    current_ = number;
    return;
  }
  Slice& slice = slices_.back();
  slice.x = point.x;
  slice.not_finite += point.not_finite;
  if (!point.finite) return;
  slice.low = slice.finite ? std::min(slice.low, point.low) : point.low;
  slice.high = slice.finite ? std::max(slice.high, point.high) : point.high;
  slice.middle_low = slice.finite ? std::min(slice.middle_low, point.middle_low) : point.middle_low;
  slice.middle_high = slice.finite ? std::max(slice.middle_high, point.middle_high) : point.middle_high;
  slice.middle += (point.middle - slice.middle) / static_cast<double>(++middles_);
  slice.finite = true;
}

std::vector<Slice> Decimator::take() {
  return std::move(slices_);
}

}  // namespace adarun::monitor
