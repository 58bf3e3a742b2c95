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

/// The logs of a job as they grow. Finds logs that come later; a log keeps the rank it was first found for.
class LogWatch {
 public:
  /// Folders and files as logs_at takes them.
  explicit LogWatch(std::vector<std::filesystem::path> places) : places_(std::move(places)) {}

  /// One more.
  void add(std::filesystem::path place) { places_.push_back(std::move(place)); }

  /// Only these ranks; empty means all.
  void only(std::set<std::uint32_t> ranks) { only_ = std::move(ranks); }

  /// Looks for new logs; true when one was found. Throws Error where a place is not there.
  bool find();

  /// Leaves out what is in the logs found so far, but for the last `lines` lines of each.
  void skip_to_last(std::uint64_t lines);

  /// Bytes of a log that are new; `anew` when the log was truncated and these are its first.
  using Sink = std::function<void(const LogFile& log, bool anew, std::string_view bytes)>;

  /// So much of all logs together is read by one poll: what is parsed in about a tenth of a second ...
  static constexpr std::size_t default_poll_bytes = 64U << 20U;

  /// ... also with patterns of a user's own.
  static constexpr std::size_t pattern_poll_bytes = 1U << 20U;
  void poll_at_most(std::size_t bytes) { poll_bytes_ = bytes; }

  /// Reads what is new: one piece per log, so that no log makes another wait, and the smaller the more logs
  /// there are, so that none makes the caller wait. True when there was any.
  bool poll(const Sink& sink);

  /// Reads each log to its end as it is now, one after the other by rank, until `sink` returns false.
  void drain(const std::function<bool(const LogFile& log, bool anew, std::string_view bytes)>& sink);

  /// Reads on in the log of one rank, which was found: see FileTail::read.
  FileTail::Change read(std::uint32_t rank, std::string& bytes, std::size_t max_bytes) {
    return tails_.at(rank).read(bytes, max_bytes);
  }

  /// Where in its log that will go on.
  std::uint64_t offset(std::uint32_t rank) const { return tails_.at(rank).offset(); }

  /// The logs found so far, by rank.
  std::vector<LogFile> logs() const;
  std::size_t size() const { return tails_.size(); }

 private:
  std::vector<std::filesystem::path> places_;
  std::set<std::uint32_t> only_;
  std::map<std::uint32_t, FileTail> tails_;
  std::set<std::filesystem::path> known_;
  std::size_t poll_bytes_ = default_poll_bytes;
  std::string buffer_;
};

}  // namespace adarun::monitor
