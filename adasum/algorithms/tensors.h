// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "adasum/kernels/arrays.h"
#include "adasum/types/layout.h"
#include "adasum/types/number.h"

namespace adasum::algorithms {

/// One rank's tensors, treated as one vector: their elements in list order, wherever each tensor is in
/// memory.
template <typename T>
class Tensors {
 public:
  explicit Tensors(std::vector<std::span<T>> list) : list_(std::move(list)), layout_(counts_of(list_)) {}

  const std::vector<std::span<T>>& list() const { return list_; }
  const Layout& layout() const { return layout_; }
  std::size_t size() const { return layout_.whole().size(); }

  /// Whether each tensor begins in memory where the previous one ends.
  bool contiguous() const {
    const T* next = nullptr;
    for (const std::span<T> tensor : list_) {
      if (tensor.empty()) continue;
      if (next != nullptr && tensor.data() != next) return false;
      next = tensor.data() + tensor.size();
    }
    return true;
  }

  /// All tensors as one span, if they are contiguous.
  std::span<T> as_one() const {
    const auto first = std::ranges::find_if(list_, [](std::span<T> tensor) { return !tensor.empty(); });
    return first == list_.end() ? std::span<T>() : std::span<T>(first->data(), size());
  }

  bool finite() const {
    return std::ranges::all_of(list_, [](std::span<T> tensor) { return kernels::is_finite<T>(tensor); });
  }

  void copy_to(std::span<T> vector) const {
    for (const std::span<T> tensor : list_) {
      copy(tensor, vector.first(tensor.size()));
      vector = vector.subspan(tensor.size());
    }
  }
  /// Copies large tensors past the caches, for a reader on another core.
  void stream_to(std::span<T> vector) const {
    for (const std::span<T> tensor : list_) {
      if (tensor.size_bytes() < least_streamed_bytes)
        std::ranges::copy(tensor, vector.begin());
      else
        kernels::stream(std::as_bytes(tensor), std::as_writable_bytes(vector.first(tensor.size())));
      vector = vector.subspan(tensor.size());
    }
  }
  /// Copies only the elements of `range`.
  void copy_to(std::span<T> vector, Range range) const {
    layout_.for_each_part(range, [&](std::size_t tensor, Range elements) {
      const std::size_t skipped = elements.begin - layout_.tensor(tensor).begin;
      copy(list_[tensor].subspan(skipped, elements.size()), part(vector, elements));
    });
  }
  void copy_from(std::span<const T> vector) const {
    for (const std::span<T> tensor : list_) {
      copy(vector.first(tensor.size()), tensor);
      vector = vector.subspan(tensor.size());
    }
  }

 private:
  // For smaller tensors, lines in part and the fence of each copy cost more.
  static constexpr std::size_t least_streamed_bytes = 4096;
  // Copying larger vectors would evict from the caches data that is read again, so the copy bypasses them.
  static constexpr std::size_t past_caches_bytes = std::size_t{8} << 20;

  void copy(std::span<const T> from, std::span<T> to) const {
    if (size() * sizeof(T) > past_caches_bytes)
      return kernels::stream(std::as_bytes(from), std::as_writable_bytes(to));
    std::ranges::copy(from, to.begin());
  }

  static Layout counts_of(const std::vector<std::span<T>>& list) {
    std::vector<std::int64_t> counts;
    std::size_t size = 0;
    for (const std::span<T> tensor : list) {
      counts.push_back(static_cast<std::int64_t>(tensor.size()));
      size += tensor.size();
    }
    return Layout(counts, size);
  }

  std::vector<std::span<T>> list_;
  Layout layout_;
};

/// Hash of the element type and all sizes.
template <typename T>
std::uint64_t fingerprint_of(const Tensors<T>& tensors) {
  Fingerprint fingerprint;
  fingerprint.add(std::is_same_v<T, BFloat16> ? 0 : sizeof(T));
  fingerprint.add(tensors.list().size());
  for (const std::span<T> tensor : tensors.list()) fingerprint.add(tensor.size());
  return fingerprint.value();
}

}  // namespace adasum::algorithms
