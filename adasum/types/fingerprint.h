// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace adasum {

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
