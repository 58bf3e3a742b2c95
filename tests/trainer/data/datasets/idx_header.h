// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>

namespace adarun::trainer::testing_data {

/// The header of an IDX file of unsigned bytes.
inline std::string idx_header(std::initializer_list<std::uint32_t> shape) {
  std::string bytes("\0\0\x08", 3);
  bytes += static_cast<char>(shape.size());
  for (const std::uint32_t extent : shape) {
    for (const unsigned shift : {24U, 16U, 8U, 0U}) bytes += static_cast<char>(extent >> shift & 0xFFU);
  }
  return bytes;
}

}  // namespace adarun::trainer::testing_data
