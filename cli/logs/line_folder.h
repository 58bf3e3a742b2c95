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

#include "cli/arguments/rank_set.h"

namespace adarun::cli {

/// Merges equal lines of several ranks into one: "[0-31,40] text". A line is held back briefly for the other
/// ranks; the lines of each rank keep their order. Not thread-safe.
class LineFolder {
 public:
  using Clock = std::chrono::steady_clock;

  /// How long a line is held back, and the maximum of lines and bytes held back.
  static constexpr std::chrono::milliseconds longest_wait{200};
  static constexpr std::size_t most_lines = 4096;
  static constexpr std::size_t most_bytes = 8U << 20U;

  /// Returns the text in the brackets, for a set of ranks.
  using Names = std::function<std::string(const std::set<std::uint32_t>&)>;

  /// `ranks`: the number of ranks that can print a line; once all have printed it, it is no longer held back.
  explicit LineFolder(std::size_t ranks, Names names = shown_ranks)
      : ranks_(ranks), names_(std::move(names)) {}

  /// Adds a line of a rank, with its line end.
  void add(std::uint32_t rank, std::string_view line, Clock::time_point now);

  /// Whether more is held back than the limits allow; take() then returns some.
  bool full() const { return waiting_.size() > most_lines || waiting_bytes_ > most_bytes; }

  /// The lines that are due, in print format.
  std::string take(Clock::time_point now);

  /// All lines held back.
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
  std::deque<Waiting> waiting_;  ///< Lines in order of number, oldest first.
  std::size_t waiting_bytes_ = 0;
  std::uint64_t first_number_ = 1;  ///< Number of the first line in `waiting_`.
  /// Numbers of the waiting lines, by text.
  std::unordered_map<std::string, std::set<std::uint64_t>> numbers_;
  std::map<std::uint32_t, std::uint64_t> last_of_;  ///< Number of the last line of each rank.
};

}  // namespace adarun::cli
