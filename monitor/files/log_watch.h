// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "monitor/files/file_tail.h"
#include "monitor/files/log_files.h"

namespace adarun::monitor {

/// Follows the logs of a job as they grow. Also finds logs that are created later; a log keeps the rank it
/// was first found for, also when it is compressed ("worker_0.log.gz").
class LogWatch {
 public:
  /// Folders and files as logs_at takes them.
  explicit LogWatch(std::vector<std::filesystem::path> places, Links links = Links::followed)
      : places_(std::move(places)), links_(links) {}

  /// Adds a folder or file.
  void add(std::filesystem::path place) { places_.push_back(std::move(place)); }

  /// Watches only these ranks; empty means all.
  void only(std::set<std::uint32_t> ranks) { only_ = std::move(ranks); }

  /// Looks for new logs, and those that were compressed; true if one was found. Throws Error if a place does
  /// not exist.
  bool find();

  /// The same for logs of a job that were there before: the folder is missing for a moment while the next
  /// attempt takes it. Throws only if it is so in more than ten calls, one after the other.
  bool find_again();

  /// Skips the content of the logs found so far, except the last `lines` lines of each.
  void skip_to_last(std::uint64_t lines);

  /// Receives new bytes of a log; `anew` if the log was truncated or replaced and these are its first.
  using Sink = std::function<void(const LogFile& log, bool anew, std::string_view bytes)>;

  /// How many bytes one poll reads from all logs together: as many as can be parsed in about a tenth of a
  /// second ...
  static constexpr std::size_t default_poll_bytes = 64U << 20U;

  /// ... and the same when the user's own patterns are used.
  static constexpr std::size_t pattern_poll_bytes = 1U << 20U;
  void poll_at_most(std::size_t bytes) { poll_bytes_ = bytes; }

  /// A log that cannot be read is no longer watched, instead of being an error of poll().
  void leave_out_unreadable() { leaves_out_unreadable_ = true; }

  /// Reads what is new, one piece per log, so that no log delays another. The more logs, the smaller the
  /// pieces, so that a poll stays short. True if there was anything new. Throws
  /// Error.
  bool poll(const Sink& sink);

  /// From now on, until proceed(), nothing is read that is written later: see FileTail::stop_at_present_end.
  void stop_at_present_ends();
  void proceed();

  /// Reads each log to its present end, by rank, until `sink` returns false. What is written meanwhile is not
  /// read.
  void drain(const std::function<bool(const LogFile& log, bool anew, std::string_view bytes)>& sink);

  /// Reads the next bytes of one rank's log, which must have been found: see FileTail::read.
  FileTail::Change read(std::uint32_t rank, std::string& bytes, std::size_t max_bytes) {
    return tails_.at(rank).read(bytes, max_bytes);
  }

  /// The offset in its log where that read will continue.
  std::uint64_t offset(std::uint32_t rank) const { return tails_.at(rank).offset(); }

  /// The logs found so far, by rank.
  std::vector<LogFile> logs() const;
  std::size_t size() const { return tails_.size(); }

 private:
  bool follow_compressed(const LogFile& log);
  std::optional<FileTail::Change> read_piece(FileTail& tail, std::size_t most_bytes);

  std::vector<std::filesystem::path> places_;
  Links links_;
  std::set<std::uint32_t> only_;
  std::map<std::uint32_t, FileTail> tails_;
  std::set<std::filesystem::path> known_;
  std::size_t poll_bytes_ = default_poll_bytes;
  bool leaves_out_unreadable_ = false;
  int misses_ = 0;  ///< Calls of find_again() without a folder, one after the other.
  std::string buffer_;
};

}  // namespace adarun::monitor
