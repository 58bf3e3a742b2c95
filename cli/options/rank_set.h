// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <set>
#include <string>

namespace adarun::cli {

/// "0,3,8-15" -> those ranks. Throws std::invalid_argument with what was wanted.
std::set<std::uint32_t> parse_ranks(const std::string& text);

/// The other way round, runs of two and more as ranges: "0-1,3,8-15".
std::string shown_ranks(const std::set<std::uint32_t>& ranks);

}  // namespace adarun::cli
