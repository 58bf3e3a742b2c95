// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/file_descriptor.h"

namespace adarun::launcher {

/// Writes beside the logs of a job when their bytes came, by this machine's clock, so that lines can be
/// chosen and put in order by time. A text file: its first line is "adarun line times 1 BEGINNING", with how
/// many bytes a log has before the place where --log-limit leaves some out ("-": none are). Each further line
/// is a time in milliseconds since the Unix epoch and "RANK:BYTES" for each rank: so many more of its bytes
/// had come by then. The file is bounded: the larger it is, the more time there is between lines, and the
/// last times of all are left out. Where it cannot be written there are no times; the job does not mind.
class LineTimes {
 public:
  using Clock = std::chrono::steady_clock;

  static constexpr const char* file_name = "line_times.txt";

  /// Of `ranks` ranks, whose logs have no limit or so many bytes before what is left out.
  LineTimes(const std::filesystem::path& folder, std::size_t ranks, std::optional<std::uint64_t> beginning);

  /// So many bytes of a rank have come.
  void add(std::uint32_t rank, std::size_t bytes, Clock::time_point now);

  /// Writes what is due.
  void tick(Clock::time_point now);

  /// Writes what is left.
  void finish();

 private:
  void write_line();
  void write(std::string_view text);

  base::FileDescriptor file_;
  std::uint64_t size_bytes_ = 0;
  std::vector<std::uint64_t> new_bytes_;  ///< By rank.
  std::vector<std::uint32_t> with_news_;  ///< Ranks that have some.
  Clock::time_point due_{};
};

/// When the bytes of each log came, as LineTimes has written it.
class ArrivalTimes {
 public:
  /// Reads the file of a log folder; nothing where there is none, or it is none of these.
  static std::optional<ArrivalTimes> in(const std::filesystem::path& folder);

  /// The same of the text of such a file.
  static std::optional<ArrivalTimes> read(std::istream& text);

  /// How many bytes a log has before what --log-limit leaves out of it; nothing where it leaves out none.
  std::optional<std::uint64_t> beginning() const { return beginning_; }

  /// When the byte at `offset` of a rank's log had come, in milliseconds since the Unix epoch; `size`: of the
  /// log as it is now, with what --log-limit left out. Beyond what is known, the last time that is; nothing
  /// for a rank without any.
  std::optional<std::int64_t> at(std::uint32_t rank, std::uint64_t offset, std::uint64_t size) const;

 private:
  struct Stamp {
    std::uint64_t end = 0;  ///< Of the bytes that had come.
    std::int64_t time_ms = 0;
  };

  void take_line(std::string_view line);

  std::optional<std::uint64_t> beginning_;
  std::vector<std::vector<Stamp>> stamps_;  ///< By rank.
};

}  // namespace adarun::launcher
