// SPDX-License-Identifier: Apache-2.0
#include "launcher/record/rank_log.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <sstream>

#include "base/system_text.h"
#include "launcher/base/error.h"
#include "launcher/record/files.h"

namespace adarun::launcher {
namespace {

// A line at the end of the beginning that is longer is kept in part.
constexpr std::uint64_t most_line_bytes = 64U << 10U;
constexpr std::uint64_t tail_bytes = 64U << 10U;

// `bytes` from the start of a line, unless no whole line is in it.
std::string_view from_line_start(std::string_view bytes) {
  const std::size_t line = bytes.find('\n') + 1;
  return line < bytes.size() ? bytes.substr(line) : bytes;
}

// The line in place of what is left out, of this size at least.
std::string line_about(std::uint64_t bytes, std::uint64_t size) {
  std::string line = "[adarun: " + std::to_string(bytes) + " bytes are left out here: --log-limit]";
  line.resize(std::max<std::size_t>(line.size(), size > 0 ? size - 1 : 0), ' ');
  return line + "\n";
}

}  // namespace

std::uint64_t RankLog::beginning_of(std::uint64_t limit) {
  return limit - std::min<std::uint64_t>(limit / 2, most_end_bytes);
}

RankLog::RankLog(const base::OutputFolder& folder, const std::string& name,
                 std::optional<std::uint64_t> limit)
    : file_(folder.path() / name), fd_(create_file(folder, name, shared_mode)) {
  if (!limit) return;
  const std::uint64_t beginning = beginning_of(*limit);
  limit_ = Limit{beginning, static_cast<std::size_t>(*limit - beginning), {}, beginning};
}

void RankLog::write(std::string_view bytes) {
  total_ += bytes.size();
  if (limit_ && size_ + bytes.size() > limit_->end_begin + limit_->end) return leave_out_and_write(bytes);
  write_all(fd_.get(), bytes, file_);
  size_ += bytes.size();
}

std::vector<std::string> RankLog::last_lines(std::size_t count) const {
  std::istringstream in(read(size_ - std::min(size_, tail_bytes), size_));
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  if (lines.size() > count) lines.erase(lines.begin(), lines.end() - static_cast<std::ptrdiff_t>(count));
  return lines;
}

// Half of the end stays, so that this is done once for as many bytes. The end does not begin before the place
// that line_times.txt names.
void RankLog::leave_out_and_write(std::string_view bytes) {
  if (!limit_->cut) {
    const std::uint64_t room = limit_->beginning - std::min(limit_->beginning, size_);
    const std::string_view first = bytes.substr(0, static_cast<std::size_t>(room));
    write_all(fd_.get(), first, file_);
    size_ += first.size();
    bytes.remove_prefix(first.size());
    limit_->cut = limit_->end_begin = end_of_beginning();
  }
  const std::size_t kept_bytes = limit_->end / 2;
  const std::size_t new_bytes = std::min(bytes.size(), kept_bytes);
  const std::uint64_t from =
      size_ - std::min<std::uint64_t>(size_ - limit_->end_begin, kept_bytes - new_bytes);
  std::string kept = read(from, size_);
  kept += bytes.substr(bytes.size() - new_bytes);
  kept = from_line_start(kept);
  const std::uint64_t cut = *limit_->cut;
  const bool ends_line = cut == 0 || read(cut - 1, cut) == "\n";
  std::string text = ends_line ? "" : "\n";
  text += line_about(total_ - cut - kept.size(),
                     limit_->beginning - std::min(limit_->beginning, cut + text.size()));
  limit_->end_begin = cut + text.size();
  replace_from(cut, text + kept);
}

// Behind the last whole line that it may have.
std::uint64_t RankLog::end_of_beginning() const {
  const std::uint64_t most = std::min(limit_->beginning, size_);
  const std::uint64_t from = most - std::min(most, most_line_bytes);
  const std::size_t line = read(from, most).rfind('\n');
  return line == std::string::npos ? most : from + line + 1;
}

std::string RankLog::read(std::uint64_t from, std::uint64_t to) const {
  std::string bytes(static_cast<std::size_t>(to - from), '\0');
  const ssize_t size = ::pread(fd_.get(), bytes.data(), bytes.size(), static_cast<off_t>(from));
  if (size != static_cast<ssize_t>(bytes.size()))
    throw Error(file_ + ": cannot read: " + base::system_text(errno));
  return bytes;
}

void RankLog::replace_from(std::uint64_t offset, std::string_view text) {
  const auto begin = static_cast<off_t>(offset);
  if (::lseek(fd_.get(), begin, SEEK_SET) != begin)
    throw Error(file_ + ": cannot write: " + base::system_text(errno));
  write_all(fd_.get(), text, file_);
  size_ = offset + text.size();
  if (::ftruncate(fd_.get(), static_cast<off_t>(size_)) != 0)
    throw Error(file_ + ": cannot cut this file: " + base::system_text(errno));
}

}  // namespace adarun::launcher
