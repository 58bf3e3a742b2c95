// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace adarun::cli {

/// Where a rank stands, for people.
struct RankStatusRow {
  std::uint32_t rank = 0;
  std::string node;
  std::string state;
  std::optional<std::uint64_t> step;
  std::optional<std::chrono::milliseconds> since_step;
  std::optional<std::chrono::milliseconds> silent;  ///< Only of one that runs.
  std::string last_line;
  bool printed = true;  ///< Whether it has printed anything; else `silent` counts from its start.
};

/// A table of the ranks, a line each, by rank. Of more than `most` those that have made no step or printed
/// nothing for longest, these first, and a line that says how many more there are.
std::string status_table(std::vector<RankStatusRow> ranks, std::size_t most);

}  // namespace adarun::cli
