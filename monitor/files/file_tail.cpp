// SPDX-License-Identifier: Apache-2.0
#include "monitor/files/file_tail.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>

#include "monitor/error.h"
#include "monitor/files/open_file.h"

namespace adarun::monitor {
namespace {

std::optional<struct stat> status_of(const std::filesystem::path& path) {
  struct stat status {};
  if (stat(path.c_str(), &status) != 0) {
    if (errno == ENOENT || errno == ENOTDIR) return std::nullopt;
    throw Error(path.string() + ": cannot be read: " + std::strerror(errno));
  }
  if (!S_ISREG(status.st_mode)) throw Error(path.string() + ": not a regular file; wanted a log file");
  return status;
}

}  // namespace

FileTail::News FileTail::read(std::string& bytes, std::size_t max_bytes) {
  bytes.clear();
  const auto status = status_of(path_);
  if (!status) return News::none;
  const auto size = static_cast<std::uint64_t>(status->st_size);
  const bool anew = offset_ > 0 && (size < offset_ || status->st_ino != inode_);
  inode_ = status->st_ino;
  if (anew) offset_ = 0;
  if (size > offset_) {
    OpenFile(path_).read(bytes, std::min<std::uint64_t>(size - offset_, max_bytes), offset_);
    offset_ += bytes.size();
  }
  if (anew) return News::begun_anew;
  return bytes.empty() ? News::none : News::grown;
}

void FileTail::skip_to_last(std::uint64_t lines) {
  constexpr std::uint64_t block_bytes = 64U << 10U;
  const auto status = status_of(path_);
  if (!status) return;
  inode_ = status->st_ino;
  const auto size = static_cast<std::uint64_t>(status->st_size);
  const OpenFile file(path_);
  std::string block;
  std::uint64_t ends = 0;
  for (std::uint64_t end = size; end > 0;) {
    const std::uint64_t begin = end > block_bytes ? end - block_bytes : 0;
    file.read(block, end - begin, begin);
    for (std::uint64_t i = block.size(); i-- > 0;) {
      const bool last_byte = begin + i + 1 == size;  // its line end belongs to the last line
      if (block[i] == '\n' && !last_byte && ++ends == lines) {
        offset_ = begin + i + 1;
        return;
      }
    }
    end = begin;
  }
  offset_ = lines == 0 ? size : 0;
}

}  // namespace adarun::monitor
