// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>

namespace adarun::monitor {

/// The position, at or behind `from`, of a word without which no line tells of a loss, a time, a throughput,
/// an accuracy or a gradient, or of an escape character, which may hide one; npos where there is none. Lines
/// without one need not be parsed. Reads several GB/s.
std::size_t find_keyword(std::string_view text, std::size_t from);

}  // namespace adarun::monitor
