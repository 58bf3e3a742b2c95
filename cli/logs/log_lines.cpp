// SPDX-License-Identifier: Apache-2.0
#include "cli/logs/log_lines.h"

#include <array>
#include <ctime>
#include <sstream>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "base/wall_clock.h"
#include "cli/arguments/command.h"
#include "cli/arguments/option_values.h"
#include "monitor/files/file_tail.h"

namespace adarun::cli {

bool LogLines::next() {
  for (;;) {
    const std::size_t end = buffer_.find('\n', at_);
    const bool is_end_of_cut = is_cut_ && end == at_;  // Its last piece has a line end already.
    if (end != std::string::npos) {
      take(end + 1 - at_);
      if (!is_end_of_cut) return true;
    } else if (buffer_.size() - at_ >= piece_bytes_) {
      is_cut_ = rest();
      return true;
    } else if (!refill()) {
      return false;
    }
  }
}

bool LogLines::rest() {
  const std::size_t bytes = buffer_.size() - at_;
  if (bytes == 0) return false;
  buffer_ += '\n';
  take(bytes + 1);
  --behind_;
  return true;
}

void LogLines::take(std::size_t bytes) {
  line_ = std::string_view(buffer_).substr(at_, bytes);
  at_ += bytes;
  behind_ += bytes;
  continues_ = std::exchange(is_cut_, false);
}

// If the log was restarted, a buffered incomplete line ends first: its own end will never arrive.
bool LogLines::refill() {
  if (!std::exchange(begins_anew_, false)) {
    const monitor::FileTail::Change news = watch_->read(rank_, piece_, piece_bytes_);
    if (news == monitor::FileTail::Change::none) return false;
    if (news == monitor::FileTail::Change::restarted && at_ == buffer_.size()) is_cut_ = false;
    begins_anew_ = news == monitor::FileTail::Change::restarted && at_ < buffer_.size();
    if (begins_anew_) {
      buffer_ += '\n';
      return true;
    }
  }
  buffer_.erase(0, at_);
  at_ = 0;
  buffer_ += piece_;
  behind_ = watch_->offset(rank_) - buffer_.size();
  return !piece_.empty();
}

LineFilter::LineFilter(const std::string& pattern) {
  if (pattern.find_first_of(R"(\^$.[]|()*+?{})") == std::string::npos) {
    text_ = pattern;
    return;
  }
  regex_t compiled{};
  const int wrong = regcomp(&compiled, pattern.c_str(), REG_EXTENDED);
  if (wrong != 0) {
    std::array<char, 256> reason{};
    regerror(wrong, &compiled, reason.data(), reason.size());
    throw std::invalid_argument("\"" + pattern + "\": no regular expression: " + reason.data());
  }
  regex_ = {new regex_t(compiled), [](regex_t* regex) {
              regfree(regex);
              delete regex;
            }};
}

bool LineFilter::takes(std::string_view line) const {
  if (line.ends_with('\n')) line.remove_suffix(1);
  if (line.ends_with('\r')) line.remove_suffix(1);
  if (!regex_) return line.find(text_) != std::string_view::npos;
  regmatch_t place{0, static_cast<regoff_t>(line.size())};
  return regexec(regex_.get(), line.data(), 1, &place, REG_STARTEND) == 0;
}

namespace {

constexpr std::size_t looked_at_bytes = 64U << 10U;

bool says_times(const std::filesystem::path& log) {
  monitor::FileTail tail(log);
  std::string text;
  if (tail.read(text, looked_at_bytes) == monitor::FileTail::Change::none) return true;  // It has no lines.
  std::istringstream lines(text);
  monitor::WrittenTime written;
  for (std::string line; std::getline(lines, line);)
    if (written.in(line)) return true;
  return false;
}

// Of a compressed log: what it has when unpacked.
std::uint64_t size_of(const std::filesystem::path& log) {
  std::error_code error;
  if (log.extension() != ".gz") {
    const std::uintmax_t size = std::filesystem::file_size(log, error);
    return error ? 0 : size;
  }
  monitor::FileTail tail(log);
  for (std::string bytes; tail.read(bytes) != monitor::FileTail::Change::none;) {
  }
  return tail.offset();
}

// Adds today's date to "01:02" or "01:02:03".
std::string with_date(const std::string& text, std::int64_t now_ms) {
  const std::time_t now = now_ms / 1000;
  std::tm today{};
  localtime_r(&now, &today);
  std::array<char, 16> date{};
  std::strftime(date.data(), date.size(), "%Y-%m-%d ", &today);
  return date.data() + text;
}

}  // namespace

LineClock::LogTimes& LineClock::source_of(std::uint32_t rank, const std::filesystem::path& log) {
  const auto [found, is_new] = sources_.try_emplace(rank);
  if (!is_new) return found->second;
  const std::filesystem::path folder = log.parent_path();
  auto known = folders_.find(folder);
  if (known == folders_.end()) known = folders_.emplace(folder, launcher::ArrivalTimes::in(folder)).first;
  if (known->second) {
    if (known->second->beginning()) found->second.size_bytes = size_of(log);
    found->second.arrivals = &*known->second;
    found->second.last_ms = base::now_ns() / 1'000'000;  // For a rank whose first bytes have just arrived.
  }
  return found->second;
}

std::int64_t LineClock::time_of(const LogLines& line, const std::filesystem::path& log) {
  LogTimes& source = source_of(line.rank(), log);
  if (line.continues()) return source.last_ms;
  const auto time = source.arrivals != nullptr
                        ? source.arrivals->at(line.rank(), line.last_byte(), source.size_bytes)
                        : source.written.in(line.line());
  if (time) source.last_ms = *time;
  return source.last_ms;
}

bool LineClock::tells(const monitor::LogFile& log) {
  return source_of(log.rank, log.path).arrivals != nullptr || says_times(log.path);
}

void LineClock::require_times(const monitor::LogFile& log) {
  if (!tells(log))
    throw ExitError(exit_failed, log.path.string() + ": nothing tells when its lines were printed: no " +
                                     launcher::LineTimes::file_name +
                                     " of adarun beside it, and no times in its lines");
}

std::optional<std::int64_t> parse_since(const std::string& text, std::int64_t now_ms) {
  if (const auto duration = parse_duration(text)) return now_ms - duration->count();
  std::string whole = text.find_first_of("-/") == std::string::npos ? with_date(text, now_ms) : text;
  constexpr std::size_t minute_bytes = 16;
  constexpr std::size_t date_bytes = 10;
  if (whole.size() == date_bytes) whole += " 00:00";
  if (whole.size() == minute_bytes) whole += ":00";
  return whole.size() > minute_bytes ? monitor::WrittenTime().in(whole) : std::nullopt;
}

}  // namespace adarun::cli
