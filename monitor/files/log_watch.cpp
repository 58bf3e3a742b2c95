// SPDX-License-Identifier: Apache-2.0
#include "monitor/files/log_watch.h"

#include <algorithm>
#include <iterator>
#include <stdexcept>

#include "monitor/base/error.h"

namespace adarun::monitor {

bool LogWatch::find() {
  bool any = false;
  for (const LogFile& log : logs_at(places_, links_)) {
    if (!only_.empty() && !only_.contains(log.rank)) continue;
    if (!known_.insert(log.path).second) continue;
    any = true;
    if (follow_compressed(log)) continue;
    const bool free = !tails_.contains(log.rank);
    const std::uint32_t rank = free ? log.rank : tails_.rbegin()->first + 1;
    tails_.emplace(rank, FileTail(log.path, links_));
  }
  return any;
}

bool LogWatch::find_again() {
  constexpr int most_misses = 10;
  try {
    const bool any = find();
    misses_ = 0;
    return any;
  } catch (const std::runtime_error&) {  // Also of a folder that goes while it is read.
    if (++misses_ > most_misses) throw;
    return false;
  }
}

// Whether it is the compressed form of a log that is watched and no longer there. What is unread of that
// follows.
bool LogWatch::follow_compressed(const LogFile& log) {
  const auto same = tails_.find(log.rank);
  if (same == tails_.end() || log.path != same->second.path().string() + ".gz") return false;
  if (std::filesystem::exists(same->second.path())) return false;
  same->second = FileTail(log.path, links_, same->second.offset());
  return true;
}

void LogWatch::skip_to_last(std::uint64_t lines) {
  for (auto& [rank, tail] : tails_) tail.skip_to_last(lines);
}

bool LogWatch::poll(const Sink& sink) {
  constexpr std::size_t most_pieces = 1024;
  const std::size_t most_bytes = std::min(
      poll_bytes_ / std::clamp<std::size_t>(tails_.size(), 1, most_pieces), FileTail::default_max_bytes);
  bool any = false;
  for (auto at = tails_.begin(); at != tails_.end();) {
    auto& [rank, tail] = *at;
    const std::optional<FileTail::Change> news = read_piece(tail, most_bytes);
    if (news && *news != FileTail::Change::none) {
      sink({rank, tail.path()}, *news == FileTail::Change::restarted, buffer_);
      any = true;
    }
    at = news ? std::next(at) : tails_.erase(at);
  }
  return any;
}

// Nothing if the log cannot be read and is to be left out.
std::optional<FileTail::Change> LogWatch::read_piece(FileTail& tail, std::size_t most_bytes) {
  try {
    return tail.read(buffer_, most_bytes);
  } catch (const Error&) {
    if (!leaves_out_unreadable_) throw;
    return std::nullopt;
  }
}

void LogWatch::stop_at_present_ends() {
  for (auto& [rank, tail] : tails_) tail.stop_at_present_end();
}

void LogWatch::proceed() {
  for (auto& [rank, tail] : tails_) tail.proceed();
}

void LogWatch::drain(const std::function<bool(const LogFile& log, bool anew, std::string_view bytes)>& sink) {
  stop_at_present_ends();
  bool taken = true;
  for (auto& [rank, tail] : tails_) {
    while (taken) {
      const FileTail::Change news = tail.read(buffer_);
      if (news == FileTail::Change::none) break;
      taken = sink({rank, tail.path()}, news == FileTail::Change::restarted, buffer_);
    }
  }
  proceed();
}

std::vector<LogFile> LogWatch::logs() const {
  std::vector<LogFile> logs;
  for (const auto& [rank, tail] : tails_) logs.push_back({rank, tail.path()});
  return logs;
}

}  // namespace adarun::monitor
