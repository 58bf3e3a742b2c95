// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

/// Numbers as they go over the wire: little-endian.
namespace adasum::sockets {

template <typename Number>
void put_number(std::byte* at, Number number) {
  for (std::size_t i = 0; i < sizeof number; ++i) at[i] = static_cast<std::byte>(number >> (8 * i));
}

template <typename Number>
Number number_at(const std::byte* at) {
  Number number = 0;
  for (std::size_t i = 0; i < sizeof number; ++i)
    number |= static_cast<Number>(std::to_integer<Number>(at[i]) << (8 * i));
  return number;
}

}  // namespace adasum::sockets
