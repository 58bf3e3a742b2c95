// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <iosfwd>
#include <optional>
#include <string_view>
#include <vector>

#include "base/file_descriptor.h"
#include "base/output_folder.h"

namespace adarun::launcher {

/// Records when the bytes of a job's logs arrived, by this machine's clock, so that lines can be selected and
/// sorted by time. It is a text file beside the logs. Its first line is "adarun line times 1 BEGINNING",
/// where BEGINNING is the number of bytes before the place where --log-limit removes some ("-": no limit).
/// Each further line is a time in milliseconds since the Unix epoch, and "RANK:BYTES" for each rank with new
/// output: the number of bytes that arrived since the line before. The file size is bounded: the larger it
/// is, the longer the interval between lines, and at the limit recording stops. If it cannot be written,
/// there are no times; the job continues.
class LineTimes {
 public:
  using Clock = std::chrono::steady_clock;

  static constexpr const char* file_name = "line_times.txt";

  /// `beginning`: the bytes of each log before the place where --log-limit removes some; nullopt: no limit.
  LineTimes(const base::OutputFolder& folder, std::size_t ranks, std::optional<std::uint64_t> beginning);

  /// `bytes` bytes of a rank have arrived.
  void add(std::uint32_t rank, std::size_t bytes, Clock::time_point now);

  /// Writes a line if one is due.
  void tick(Clock::time_point now);

  /// Writes the remaining times.
  void finish();

 private:
  void write_line();
  void write(std::string_view text);

  base::FileDescriptor file_;
  std::uint64_t size_bytes_ = 0;
  std::vector<std::uint64_t> new_bytes_;  ///< By rank.
  std::vector<std::uint32_t> with_news_;  ///< Ranks with new bytes.
  Clock::time_point due_{};
};

/// Arrival times of the bytes of each log, from a file written by LineTimes.
class ArrivalTimes {
 public:
  /// Reads the file of a log folder; nullopt if it is missing, no regular file, or not in this format.
  static std::optional<ArrivalTimes> in(const std::filesystem::path& folder);

  /// The same, from the text of such a file.
  static std::optional<ArrivalTimes> read(std::istream& text);

  /// Bytes of a log before the place where --log-limit removes some; nullopt if there is no limit.
  std::optional<std::uint64_t> beginning() const { return beginning_; }

  /// Arrival time of the byte at `offset` of a rank's log, in milliseconds since the Unix epoch. `size`:
  /// current size of the log file, in which --log-limit may have removed bytes. Beyond the recorded bytes,
  /// the last known time; nullopt for a rank without any.
  std::optional<std::int64_t> at(std::uint32_t rank, std::uint64_t offset, std::uint64_t size) const;

 private:
  struct Stamp {
    std::uint64_t end = 0;  ///< Number of bytes that had arrived.
    std::int64_t time_ms = 0;
  };

  void take_line(std::string_view line);

  std::optional<std::uint64_t> beginning_;
  std::vector<std::vector<Stamp>> stamps_;  ///< By rank.
};

}  // namespace adarun::launcher
