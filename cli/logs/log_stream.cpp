// SPDX-License-Identifier: Apache-2.0
#include "cli/logs/log_stream.h"

#include <algorithm>
#include <functional>
#include <queue>
#include <utility>
#include <vector>

#include "base/wall_clock.h"

namespace adarun::cli {
namespace {

// Buffer of all logs together: merging reads them in parallel.
constexpr std::size_t all_pieces_bytes = 64U << 20U;
constexpr std::size_t least_piece_bytes = 16U << 10U;
constexpr std::size_t most_piece_bytes = 1U << 20U;
// So that one log does not delay the others.
constexpr int most_lines_per_turn = 4096;

LineFolder::Clock::time_point as_point(std::int64_t time_ms) {
  return LineFolder::Clock::time_point(std::chrono::milliseconds(time_ms));
}

std::int64_t now_ms() {
  return base::now_ns() / 1'000'000;
}

}  // namespace

LogStream::LogStream(monitor::LogWatch& watch, LineOptions options, std::FILE* out, LogNames names)
    : watch_(watch),
      options_(std::move(options)),
      out_(out),
      printer_(out, options_.tags, names),
      names_(std::move(names)) {
  open_new();
}

void LogStream::open_new() {
  const std::vector<monitor::LogFile> logs = watch_.logs();
  const std::size_t piece = options_.merge
                                ? std::clamp(all_pieces_bytes / std::max<std::size_t>(logs.size(), 1),
                                             least_piece_bytes, most_piece_bytes)
                                : most_piece_bytes;
  for (const monitor::LogFile& log : logs)
    if (logs_.try_emplace(log.rank, log).second) lines_.emplace(log.rank, LogLines(watch_, log.rank, piece));
  if (options_.merge && !folder_) folder_ = std::make_unique<LineFolder>(logs.size(), names_.brackets);
}

bool LogStream::print_all() {
  if (options_.merge || options_.since_ms)
    for (const auto& [rank, log] : logs_) clock_.require_times(log);
  watch_.stop_at_present_ends();
  const bool is_printed = options_.merge ? print_merged() : print_by_rank();
  watch_.proceed();
  return is_printed;
}

bool LogStream::print_by_rank() {
  for (auto& [rank, lines] : lines_) {
    while (lines.next()) offer(lines, options_.since_ms ? time_of(lines) : 0);
    if (!printer_.flush()) return false;
  }
  return true;
}

bool LogStream::print_merged() {
  using Next = std::pair<std::int64_t, std::uint32_t>;  // Time and rank.
  std::priority_queue<Next, std::vector<Next>, std::greater<>> queue;
  const auto advance = [&](std::uint32_t rank) {
    if (LogLines& lines = lines_.at(rank); lines.next()) queue.emplace(time_of(lines), rank);
  };
  for (const auto& [rank, log] : logs_) advance(rank);
  while (!queue.empty()) {
    const auto [time_ms, rank] = queue.top();
    queue.pop();
    offer(lines_.at(rank), time_ms);
    if (std::ferror(out_) != 0) return false;
    advance(rank);
  }
  return std::fflush(out_) == 0;
}

bool LogStream::print_new(bool& news) {
  open_new();
  news = false;
  for (auto& [rank, lines] : lines_) {
    for (int taken = 0; taken < most_lines_per_turn && lines.next(); ++taken) {
      news = true;
      offer(lines, now_ms());
    }
  }
  if (folder_) print_waiting(now_ms());
  return std::fflush(out_) == 0;
}

bool LogStream::finish() {
  for (auto& [rank, lines] : lines_)
    if (lines.rest()) offer(lines, options_.merge || options_.since_ms ? time_of(lines) : 0);
  if (folder_) {
    const std::string text = folder_->take_all();
    std::fwrite(text.data(), 1, text.size(), out_);
  }
  return printer_.flush();
}

void LogStream::print_waiting(std::int64_t time_ms) {
  const std::string text = folder_->take(as_point(time_ms));
  std::fwrite(text.data(), 1, text.size(), out_);
}

void LogStream::offer(LogLines& lines, std::int64_t time_ms) {
  if (options_.since_ms && time_ms < *options_.since_ms) return;
  if (options_.filter && !options_.filter->takes(lines.line())) return;
  any_ = true;
  if (!folder_) return printer_.put(logs_.at(lines.rank()), lines.line());
  print_waiting(time_ms);  // Lines already due do not merge with this one.
  folder_->add(lines.rank(), lines.line(), as_point(time_ms));
  if (folder_->full()) print_waiting(time_ms);
}

}  // namespace adarun::cli
