// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace adarun::cli {

/// Status of a rank, for display.
struct RankStatusRow {
  std::uint32_t rank = 0;
  std::string node;
  std::string state;
  std::optional<std::uint64_t> step;
  std::optional<std::chrono::milliseconds> since_step;
  std::optional<std::chrono::milliseconds> silent;  ///< Only for a running rank.
  std::string last_line;
  bool printed = true;    ///< Whether it has printed anything; if not, `silent` counts from its start.
  std::string role = {};  ///< Empty: the job has none.
};

/// A table with one line per rank, sorted by rank, with a column of roles where ranks have some. For more
/// than `most` ranks: only those that have made no step or printed nothing for the longest time, sorted by
/// that time, and a line with the number of the others.
std::string status_table(std::vector<RankStatusRow> ranks, std::size_t most);

}  // namespace adarun::cli
