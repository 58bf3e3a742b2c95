// SPDX-License-Identifier: Apache-2.0
#include "monitor/web/log_page.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>

#include "base/clean_text.h"
#include "base/system_text.h"
#include "monitor/base/error.h"
#include "monitor/base/text.h"
#include "monitor/files/file_tail.h"

namespace adarun::monitor::web {
namespace {

constexpr std::uint64_t window_bytes = 256U << 10U;

bool holds(std::string_view line, std::string_view wanted) {
  if (wanted.empty()) return true;
  return std::search(line.begin(), line.end(), wanted.begin(), wanted.end(),
                     [](char a, char b) { return lower(a) == lower(b); }) != line.end();
}

// Adds the lines of `bytes`, which begin at offset `at` of the file: of what is after the query's place the
// first ones, until there are as many as asked for; of what is before it all, of which twice as many are held
// at most, the last ones. Returns the number of bytes processed: all, or up to the end of the last line
// added.
std::size_t add_lines(std::string_view bytes, std::uint64_t at, const LogQuery& query,
                      std::vector<LogPage::Line>& lines) {
  std::size_t begin = 0;
  while (begin < bytes.size() &&
         (query.direction == LogQuery::Direction::before || lines.size() < query.lines)) {
    if (lines.size() == 2 * query.lines)
      lines.erase(lines.begin(), lines.begin() + static_cast<std::ptrdiff_t>(query.lines));
    const std::size_t end = std::min(bytes.find('\n', begin), bytes.size());
    std::string_view line = bytes.substr(begin, end - begin);
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    if (holds(line, query.find))
      lines.push_back({at + begin, line.size(), base::clean_text(line.substr(0, most_line_bytes))});
    begin = std::min(end + 1, bytes.size());
  }
  return begin;
}

std::string bytes_between(const OpenFile& log, std::uint64_t from, std::uint64_t to) {
  std::string bytes;
  log.read(bytes, to - from, from);
  return bytes;
}

// Where the first whole line in [from, to) begins; nothing if no line begins there.
std::optional<std::uint64_t> first_line(const OpenFile& log, std::uint64_t from, std::uint64_t to) {
  if (from == 0) return 0;
  const std::string bytes = bytes_between(log, from - 1, to);
  const std::size_t end = bytes.find('\n');
  return end == std::string::npos || from + end >= to ? std::nullopt : std::optional(from + end);
}

void read_before(const OpenFile& log, const LogQuery& query, LogPage& page) {
  std::uint64_t window = window_bytes;
  while (page.from > 0 && page.lines.size() < query.lines && page.to - page.from < most_page_bytes) {
    const std::uint64_t wanted = page.from > window ? page.from - window : 0;
    const auto first = first_line(log, wanted, page.from);
    if (!first && window < most_page_bytes) {
      window *= 2;  // This may be the middle of a long line: look further back for its beginning.
      continue;
    }
    const std::uint64_t begin = first.value_or(wanted);
    std::vector<LogPage::Line> lines;
    add_lines(bytes_between(log, begin, page.from), begin, query, lines);
    page.from = begin;
    page.lines.insert(page.lines.begin(), std::make_move_iterator(lines.begin()),
                      std::make_move_iterator(lines.end()));
    window = window_bytes;
  }
  if (page.lines.size() < query.lines) return;
  page.lines.erase(page.lines.begin(), page.lines.end() - static_cast<std::ptrdiff_t>(query.lines));
  page.from = page.lines.front().at;
}

void read_after(const OpenFile& log, const LogQuery& query, LogPage& page) {
  std::uint64_t window = window_bytes;
  while (page.to < page.size && page.lines.size() < query.lines && page.to - page.from < most_page_bytes) {
    const std::uint64_t end = std::min(page.size, page.to + window);
    std::string bytes = bytes_between(log, page.to, end);
    if (bytes.empty()) return;
    if (end < page.size) {
      const std::size_t last = bytes.rfind('\n');
      if (last == std::string::npos && window < most_page_bytes) {
        window *= 2;
        continue;
      }
      if (last != std::string::npos) bytes.resize(last + 1);
    }
    page.to += add_lines(bytes, page.to, query, page.lines);
    window = window_bytes;
  }
}

// Moves the end of a search to where an incomplete last line begins, unless that line was found. One that is
// longer than a window stays as it is, so that it is not read again whenever it grows.
void leave_out_incomplete_line(const OpenFile& log, const LogQuery& query, LogPage& page) {
  if (query.find.empty() || page.to < page.size) return;
  if (!page.lines.empty() && page.lines.back().at + page.lines.back().bytes == page.to) return;
  const std::uint64_t begin = std::max(page.from, page.to - std::min(page.to, window_bytes));
  const std::size_t end = bytes_between(log, begin, page.to).rfind('\n');
  if (end != std::string::npos)
    page.to = begin + end + 1;
  else if (begin == page.from)
    page.to = page.from;
}

namespace fs = std::filesystem;

struct stat status_of(const fs::path& path) {
  struct stat status {};
  if (look_at(path, Links::refused, status) != 0) status = {};
  return status;
}

}  // namespace

LogPage read_page(const std::filesystem::path& path, const LogQuery& query, Links links) {
  const OpenFile log(path, links);
  LogPage page;
  page.size = log.size();
  page.from = page.to = std::min(query.at, log.size());
  LogQuery bounded = query;
  bounded.lines = std::clamp<std::size_t>(query.lines, 1, most_page_lines);
  if (query.direction == LogQuery::Direction::before)
    read_before(log, bounded, page);
  else
    read_after(log, bounded, page);
  leave_out_incomplete_line(log, bounded, page);
  return page;
}

UnpackedLog::UnpackedLog(fs::path packed, std::uint64_t most_bytes)
    : packed_(std::move(packed)), status_(status_of(packed_)), file_(std::tmpfile()) {
  FileTail tail(packed_, Links::refused);
  std::string bytes;
  std::uint64_t size = 0;
  while (file_ && tail.read(bytes) != FileTail::Change::none) {
    size += bytes.size();
    if (size > most_bytes)
      throw Error("this log unpacks to more than " + std::to_string(most_bytes >> 20U) +
                  " MiB, which is not shown here: zless shows it");
    if (std::fwrite(bytes.data(), 1, bytes.size(), file_.get()) != bytes.size()) file_.reset();
  }
  if (!file_ || std::fflush(file_.get()) != 0)
    throw Error("this log cannot be unpacked to a temporary file: " + base::system_text(errno));
}

fs::path UnpackedLog::path() const {
  return "/proc/self/fd/" + std::to_string(fileno(file_.get()));
}

bool UnpackedLog::is_of(const fs::path& packed) const {
  if (packed != packed_) return false;
  const struct stat now = status_of(packed);
  return now.st_ino == status_.st_ino && now.st_size == status_.st_size &&
         now.st_mtim.tv_sec == status_.st_mtim.tv_sec && now.st_mtim.tv_nsec == status_.st_mtim.tv_nsec;
}

std::shared_ptr<const UnpackedLog> UnpackedLogs::unpack(const fs::path& packed) {
  const std::lock_guard lock(mutex_);
  const auto known =
      std::find_if(kept_.begin(), kept_.end(), [&packed](const auto& log) { return log->is_of(packed); });
  if (known == kept_.end())
    kept_.push_front(std::make_shared<const UnpackedLog>(packed, most_bytes_));
  else
    kept_.splice(kept_.begin(), kept_, known);
  if (kept_.size() > most_kept) kept_.pop_back();
  return kept_.front();
}

}  // namespace adarun::monitor::web
