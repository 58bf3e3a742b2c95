// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <set>
#include <string>

namespace adarun::cli {

/// Parses a rank list such as "0,3,8-15". Throws std::invalid_argument that says what is expected.
std::set<std::uint32_t> parse_ranks(const std::string& text);

/// The inverse, with two or more consecutive ranks as a range: "0-1,3,8-15".
std::string shown_ranks(const std::set<std::uint32_t>& ranks);

}  // namespace adarun::cli
