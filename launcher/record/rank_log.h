// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "base/file_descriptor.h"

namespace adarun::launcher {

/// The log of one rank: all bytes unchanged or, beyond a limit, the beginning and the end of the output, with
/// a line between that says how many bytes are left out. The end is updated periodically, so that the file
/// shows what the rank printed last.
class RankLog {
 public:
  using Clock = std::chrono::steady_clock;

  /// How much of its end a limited log keeps at most, and how often the end is written.
  static constexpr std::size_t most_end_bytes = 64U << 10U;
  static constexpr std::chrono::seconds between_ends{2};

  /// How much of its beginning a log limited to `limit` bytes keeps.
  static std::uint64_t beginning_of(std::uint64_t limit);

  /// Creates or truncates the file; `limit` is in bytes. Throws Error.
  RankLog(std::filesystem::path file, std::optional<std::uint64_t> limit);

  /// Throws Error if the file cannot be written.
  void write(std::string_view bytes, Clock::time_point now);

  /// Writes the current end of a limited log. Throws Error.
  void write_end();

 private:
  std::filesystem::path file_;
  base::FileDescriptor fd_;
  std::optional<std::uint64_t> beginning_;  ///< Bytes of the beginning to keep; nullopt: all.
  std::size_t end_bytes_ = 0;
  std::uint64_t written_ = 0;  ///< Of the beginning.
  std::uint64_t beyond_ = 0;   ///< Bytes received after the beginning was full.
  std::string end_;            ///< The last of those bytes.
  bool end_is_written_ = true;
  Clock::time_point next_end_{};
};

}  // namespace adarun::launcher
