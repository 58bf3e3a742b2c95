// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace adasum {

/// Elements [begin, end) of a buffer.
struct Range {
  std::size_t begin = 0;
  std::size_t end = 0;

  std::size_t size() const { return end - begin; }
  bool operator==(const Range&) const = default;
};

/// The elements of `range` in `buffer`.
template <typename T>
std::span<T> part(std::span<T> buffer, Range range) {
  return buffer.subspan(range.begin, range.size());
}

/// Part `index` of `parts` near-equal parts of `whole`, in order; sizes differ by one at most and may be 0.
Range share(Range whole, int index, int parts);

/// All `parts` of them.
std::vector<Range> shares(Range whole, int parts);

/// Positions of the tensors in one buffer, one after the other.
class Layout {
 public:
  /// `counts[t]` elements each, `size` in all. Throws adasum::Error if a count is negative or they do not add
  /// up to `size`.
  Layout(std::span<const std::int64_t> counts, std::size_t size);

  std::size_t tensors() const { return begins_.size() - 1; }

  /// The elements of one tensor, and of all.
  Range tensor(std::size_t index) const { return {begins_[index], begins_[index + 1]}; }
  Range whole() const { return {0, begins_.back()}; }

  /// The tensor that contains element number `element`.
  std::size_t tensor_of(std::size_t element) const {
    return static_cast<std::size_t>(std::upper_bound(begins_.begin(), begins_.end(), element) -
                                    begins_.begin()) -
           1;
  }

  /// Calls visit(t, Range) for each tensor that has elements in `range`, with these elements.
  template <typename Visit>
  void for_each_part(Range range, const Visit& visit) const {
    auto next = std::upper_bound(begins_.begin(), begins_.end(), range.begin);
    for (std::size_t begin = range.begin; begin < range.end; ++next) {
      const std::size_t end = std::min(*next, range.end);
      if (begin < end) visit(static_cast<std::size_t>(next - begins_.begin()) - 1, Range{begin, end});
      begin = end;
    }
  }

 private:
  std::vector<std::size_t> begins_;  // tensors() + 1 values; the last is the size of the buffer
};

/// The consecutive tensors in `data`, `counts[t]` elements each. Throws as Layout does.
template <typename T>
std::vector<std::span<T>> tensors_of(std::span<T> data, std::span<const std::int64_t> counts) {
  const Layout layout(counts, data.size());
  std::vector<std::span<T>> tensors;
  for (std::size_t t = 0; t < layout.tensors(); ++t) tensors.push_back(part(data, layout.tensor(t)));
  return tensors;
}

/// A hash of a list of numbers, with which ranks compare their lists: FNV-1a over numbers instead of bytes,
/// plus an xor-shift.
class Fingerprint {
 public:
  void add(std::uint64_t number) {
    value_ = (value_ ^ number) * 1'099'511'628'211U;
    value_ ^= value_ >> 32;
  }

  std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 14'695'981'039'346'656'037U;
};

}  // namespace adasum
