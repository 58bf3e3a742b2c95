// SPDX-License-Identifier: Apache-2.0
#include "cli/logs/log_printer.h"

#include <algorithm>
#include <chrono>
#include <queue>
#include <vector>

#include "base/clean_text.h"
#include "base/wall_clock.h"
#include "cli/arguments/rank_set.h"

namespace adarun::cli {
namespace {

// Longer lines are printed in pieces of this size.
constexpr std::size_t most_line_bytes = 1U << 20U;

// A piece with a tag is a line.
base::LineRules rules_for(LogTags tags) {
  const bool as_is = tags != LogTags::ranks;
  return {base::LineEnd::newline, as_is ? base::Overlong::unchanged : base::Overlong::split, most_line_bytes};
}

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

LogNames own_names() {
  return {[](const monitor::LogFile& log) { return log.path.string(); }, shown_ranks};
}

LogNames names_of_job(const std::string& job) {
  const std::string name = base::clean_line(job) + ":";
  return {[name](const monitor::LogFile& log) { return name + " " + log.path.string(); },
          [name](const std::set<std::uint32_t>& ranks) { return name + shown_ranks(ranks); }};
}

LogNames with_roles(const LogNames& names, std::map<std::uint32_t, std::string> role_of_rank) {
  const auto role = [roles = std::move(role_of_rank)](std::uint32_t rank) {
    const auto found = roles.find(rank);
    return found == roles.end() ? std::string() : found->second;
  };
  const auto heading = [role, of_log = names.heading](const monitor::LogFile& log) {
    const std::string name = role(log.rank);
    return of_log(log) + (name.empty() ? "" : " (role " + name + ")");
  };
  const auto brackets = [role, of_ranks = names.brackets](const std::set<std::uint32_t>& ranks) {
    const std::string name = ranks.size() == 1 ? role(*ranks.begin()) : "";
    return of_ranks(ranks) + (name.empty() ? "" : " " + name);
  };
  return {heading, brackets, names.proceed};
}

void write_tagged(std::FILE* out, std::string_view tag, std::string_view lines) {
  base::for_each_line(lines, base::LineEnd::newline, [out, tag](std::string_view line) {
    std::fwrite(tag.data(), 1, tag.size(), out);
    std::fwrite(line.data(), 1, line.size(), out);
  });
}

bool LogPrinter::print(const monitor::LogFile& log, std::string_view bytes) {
  if (tags_ == LogTags::none) {
    write(bytes);
    return flush();
  }
  Cut& cut = cut_.try_emplace(log.rank, Cut{{}, base::LineCutter(rules_for(tags_))}).first->second;
  cut.log = log;
  cut.lines.feed(bytes, [&](std::string_view lines) { put(log, lines); });
  return flush();
}

void LogPrinter::begin_anew(const monitor::LogFile& log) {
  const auto cut = cut_.find(log.rank);
  if (cut != cut_.end()) cut->second.lines.finish([&](std::string_view lines) { put(log, lines); });
  if (is_in_line_ && (tags_ == LogTags::none || current_ == log.rank)) write("\n");
}

bool LogPrinter::finish() {
  for (auto& [rank, cut] : cut_)
    cut.lines.finish([&, &log = cut.log](std::string_view lines) { put(log, lines); });
  if (tags_ == LogTags::headings && is_in_line_) write("\n");
  return flush();
}

void LogPrinter::write(std::string_view bytes) {
  std::fwrite(bytes.data(), 1, bytes.size(), out_);
  if (!bytes.empty()) is_in_line_ = bytes.back() != '\n';
}

void LogPrinter::put(const monitor::LogFile& log, std::string_view lines) {
  if (lines.empty()) return;
  if (tags_ == LogTags::headings && current_ != log.rank) {
    if (is_in_line_) write("\n");
    write((current_ || names_.proceed ? "\n==> " : "==> ") + names_.heading(log) + " <==\n");
    current_ = log.rank;
  }
  if (tags_ != LogTags::ranks) return write(lines);
  write_tagged(out_, "[" + names_.brackets({log.rank}) + "] ", lines);
}

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
