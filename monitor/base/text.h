// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace adarun::monitor {

/// A loss in at most 7 columns: 0.8123, 12.35, 1.2e-05, nan, inf.
std::string loss_text(double loss);

/// A count with thousands separators: 1,281,167.
std::string count_text(std::uint64_t count);

/// "1 rank", "16 ranks".
std::string counted(std::uint64_t count, std::string_view noun);

/// Formats a time in ms since the Unix epoch as local time: 2026-11-21 10:02:11.
std::string clock_text(std::int64_t time_ms);

}  // namespace adarun::monitor
