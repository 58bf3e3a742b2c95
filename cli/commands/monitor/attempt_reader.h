// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "cli/commands/monitor/earlier_runs.h"
#include "cli/commands/monitor/runs.h"
#include "monitor/files/log_watch.h"

namespace adarun::cli {

/// Reads the logs of a job as they grow, through its attempts: each to its end before the next one.
class AttemptReader {
 public:
  /// Takes what a rank printed; `anew`: its log begins again.
  using Feed = std::function<void(std::uint32_t rank, bool anew, std::string_view bytes)>;

  /// Borrows `asked`. `poll_bytes`: see LogWatch::poll_at_most.
  AttemptReader(const AskedRun& asked, std::size_t poll_bytes, Feed feed, BeginAttempt next_attempt);

  /// Reads the earlier attempts. Call once, before the others.
  void read_earlier() { cli::read_earlier(asked_.earlier, feed_of_rank(), next_attempt_); }

  /// Looks for logs; true if there is a new one.
  bool find() { return watch_.find(); }

  /// Its logs.
  const monitor::LogWatch& watch() const { return watch_; }

  /// Reads a piece of what is new; true if there was any.
  bool read();

  /// Looks for new logs and for the next attempt, which begins when all of the one before is read. What
  /// job.json says of the attempt that is read; nullopt if there is none. Call it from time to time, the
  /// first time before read().
  std::optional<JobFile> look();

  /// Whether another attempt has begun.
  bool is_followed() const { return is_followed_; }

  /// Whether it has, and all is read of the one before: look() continues with it.
  bool is_at_end_of_attempt() const { return is_at_end_; }

 private:
  FeedRank feed_of_rank() const;
  bool take(const monitor::LogFile& log, bool anew, std::string_view bytes);
  bool is_of_other_attempt(const JobFile& job) const;
  void find_logs_of(const std::optional<JobFile>& job);
  void begin(const JobFile& job);
  void watch_anew();

  const AskedRun& asked_;
  const std::size_t poll_bytes_;
  Feed feed_;
  BeginAttempt next_attempt_;
  monitor::LogWatch watch_;
  std::string id_;                   ///< Of the attempt that is read.
  std::set<std::string> known_ids_;  ///< Of this and earlier ones.
  std::optional<JobFile> job_;       ///< What was there last.
  std::set<std::uint32_t> own_;      ///< Ranks whose logs are, or were, those of this attempt ...
  std::set<std::uint32_t> others_;   ///< ... and those whose logs are those of another one now.
  bool is_followed_ = false;         ///< See is_followed().
  bool stands_back_ = false;         ///< An earlier attempt has got its folder back.
  bool is_at_end_ = false;           ///< See is_at_end_of_attempt().
};

}  // namespace adarun::cli
