// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <span>

namespace adasum::algorithms {

/// A buffer that is reused by successive calls. It grows and never shrinks.
class Scratch {
 public:
  /// `size` elements of T, uninitialised. Valid until the next call.
  template <typename T>
  std::span<T> take(std::size_t size) {
    if (size * sizeof(T) > size_bytes_) {
      bytes_ = std::make_unique_for_overwrite<std::byte[]>(size * sizeof(T));
      size_bytes_ = size * sizeof(T);
    }
    return {reinterpret_cast<T*>(bytes_.get()), size};
  }

 private:
  std::unique_ptr<std::byte[]> bytes_;
  std::size_t size_bytes_ = 0;
};

}  // namespace adasum::algorithms
