// SPDX-License-Identifier: Apache-2.0
#include "launcher/record/rank_log.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "base/system_text.h"
#include "launcher/base/error.h"
#include "launcher/record/files.h"

namespace adarun::launcher {
namespace {

// The last `size` bytes of `bytes` at most, from the start of a line unless no whole line fits.
std::string_view last_of(std::string_view bytes, std::size_t size) {
  if (bytes.size() <= size) return bytes;
  const std::string_view last = bytes.substr(bytes.size() - size);
  const std::size_t line = last.find('\n') + 1;
  return line < last.size() ? last.substr(line) : last;
}

}  // namespace

std::uint64_t RankLog::beginning_of(std::uint64_t limit) {
  return limit - std::min<std::uint64_t>(limit / 2, most_end_bytes);
}

RankLog::RankLog(std::filesystem::path file, std::optional<std::uint64_t> limit)
    : file_(std::move(file)), fd_(create_file(file_, shared_mode)) {
  if (!limit) return;
  beginning_ = beginning_of(*limit);
  end_bytes_ = static_cast<std::size_t>(*limit - *beginning_);
}

void RankLog::write(std::string_view bytes, Clock::time_point now) {
  const std::uint64_t room = beginning_ ? *beginning_ - written_ : bytes.size();
  const std::string_view first =
      bytes.substr(0, static_cast<std::size_t>(std::min<std::uint64_t>(room, bytes.size())));
  write_all(fd_.get(), first, file_);
  written_ += first.size();
  bytes.remove_prefix(first.size());
  if (bytes.empty()) return;
  beyond_ += bytes.size();
  end_.append(bytes);
  end_is_written_ = false;
  if (end_.size() > 2 * end_bytes_) end_.erase(0, end_.size() - end_bytes_);
  if (now < next_end_) return;
  next_end_ = now + between_ends;
  write_end();
}

void RankLog::write_end() {
  if (std::exchange(end_is_written_, true)) return;
  const std::string_view kept = last_of(end_, end_bytes_);
  std::string text(kept);
  if (beyond_ > kept.size())
    text = "\n[adarun: " + std::to_string(beyond_ - kept.size()) +
           " bytes are left out here: --log-limit]\n" + text;
  const auto begin = static_cast<off_t>(written_);
  if (::lseek(fd_.get(), begin, SEEK_SET) != begin)
    throw Error(file_.string() + ": cannot write: " + base::system_text(errno));
  write_all(fd_.get(), text, file_);
  if (::ftruncate(fd_.get(), begin + static_cast<off_t>(text.size())) != 0)
    throw Error(file_.string() + ": cannot cut this file: " + base::system_text(errno));
}

}  // namespace adarun::launcher
