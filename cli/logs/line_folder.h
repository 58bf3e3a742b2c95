// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "cli/options/rank_set.h"

namespace adarun::cli {

/// Makes one line of those that several ranks print alike: "[0-31,40] text". A line waits a moment for the
/// other ranks; the lines of each rank keep their order. Not thread-safe.
class LineFolder {
 public:
  using Clock = std::chrono::steady_clock;

  /// How long a line waits for other ranks, and how many lines and bytes wait at the most.
  static constexpr std::chrono::milliseconds longest_wait{200};
  static constexpr std::size_t most_lines = 4096;
  static constexpr std::size_t most_bytes = 8U << 20U;

  /// What stands in the brackets before a line of some ranks.
  using Names = std::function<std::string(const std::set<std::uint32_t>&)>;

  /// `ranks`: how many can print a line; one that all of them have printed waits no longer.
  explicit LineFolder(std::size_t ranks, Names names = shown_ranks)
      : ranks_(ranks), names_(std::move(names)) {}

  /// A line of a rank, with its end.
  void add(std::uint32_t rank, std::string_view line, Clock::time_point now);

  /// More wait than should: take() gives some.
  bool full() const { return waiting_.size() > most_lines || waiting_bytes_ > most_bytes; }

  /// The lines that have waited enough, as they are to be printed.
  std::string take(Clock::time_point now);

  /// All that wait.
  std::string take_all();

 private:
  struct Waiting {
    std::string line;
    std::set<std::uint32_t> ranks;
    Clock::time_point since;
  };

  Waiting& at(std::uint64_t number) { return waiting_[static_cast<std::size_t>(number - first_number_)]; }
  std::string take_first();

  std::size_t ranks_;
  Names names_;
  std::deque<Waiting> waiting_;  ///< Lines by number, the oldest first.
  std::size_t waiting_bytes_ = 0;
  std::uint64_t first_number_ = 1;  ///< Of the first in `waiting_`.
  std::unordered_map<std::string, std::set<std::uint64_t>>
      numbers_;                                     ///< Of the waiting lines with that text.
  std::map<std::uint32_t, std::uint64_t> last_of_;  ///< The last line of each rank.
};

}  // namespace adarun::cli
