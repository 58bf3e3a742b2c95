// SPDX-License-Identifier: Apache-2.0
#include "monitor/files/file_tail.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <deque>
#include <limits>
#include <string_view>
#include <system_error>
#include <vector>

#include "monitor/base/error.h"

namespace adarun::monitor {
namespace {

// How many of the bytes that were read last are looked for in a log that was shortened: some lines.
constexpr std::size_t known_bytes = 256;

// What adarun writes into it, and how many bytes behind that a log has at most (launcher/record/rank_log.h).
constexpr std::string_view shortened_line = " bytes are left out here: --log-limit]";
constexpr std::uint64_t shortened_bytes = (1U << 20U) + (64U << 10U);

std::optional<struct stat> status_of(const std::filesystem::path& path, Links links) {
  struct stat status {};
  if (look_at(path, links, status) != 0) {
    if (errno == ENOENT || errno == ENOTDIR) return std::nullopt;
    throw Error(cannot_be_read(path, links));
  }
  if (!S_ISREG(status.st_mode)) throw Error(path.string() + ": not a regular file; wanted a log file");
  return status;
}

std::filesystem::path folder_of(const std::filesystem::path& path) {
  return path.has_parent_path() ? path.parent_path() : ".";
}

// What is beside `path` with a name that is its name, a dot, and more.
std::vector<std::filesystem::path> paths_that_begin_with(const std::filesystem::path& path) {
  std::vector<std::filesystem::path> found;
  const std::string begin = path.filename().string() + ".";
  if (path.filename().empty() || path.filename() == "." || path.filename() == "..") return found;
  std::error_code gone;
  for (const auto& entry : std::filesystem::directory_iterator(folder_of(path), gone))
    if (entry.path().filename().string().starts_with(begin)) found.push_back(entry.path());
  return found;
}

}  // namespace

FileTail::FileTail(std::filesystem::path path, Links links, std::uint64_t skipped)
    : path_(std::move(path)), links_(links) {
  begin_anew();
  left_out_ = skipped;
  struct stat status {};
  if (look_at(path_, links_, status) == 0) inode_ = status.st_ino;
}

void FileTail::begin_anew() {
  offset_ = 0;
  unpacked_ = 0;
  left_out_ = 0;
  last_read_.clear();
  if (path_.extension() == ".gz") gunzip_.emplace();
}

// What was renamed meanwhile is read to its end: it soon grows no more.
void FileTail::stop_at_present_end() {
  struct stat status {};
  const bool is_there = look_at(path_, links_, status) == 0;
  if (is_there && (inode_ == 0 || status.st_ino == inode_))
    end_ = static_cast<std::uint64_t>(status.st_size);
  else
    end_ = inode_ == 0 ? 0 : std::numeric_limits<std::uint64_t>::max();
}

FileTail::Change FileTail::read(std::string& bytes, std::size_t max_bytes) {
  const auto status = status_of(path_, links_);
  const bool replaced = inode_ != 0 && (!status || status->st_ino != inode_);
  if (replaced && read_rest_of_renamed(bytes, max_bytes)) return Change::grown;
  if (!status) {
    bytes.clear();
    return Change::none;
  }
  const auto size = static_cast<std::uint64_t>(status->st_size);
  const bool anew = replaced || (!is_as_before(size) && !continues_in_shortened(size));
  if (anew && end_) {
    bytes.clear();
    return Change::none;
  }
  inode_ = status->st_ino;
  if (anew) begin_anew();
  read_from(path_, size, bytes, max_bytes);
  if (anew) return Change::restarted;
  return bytes.empty() ? Change::none : Change::grown;
}

bool FileTail::is_as_before(std::uint64_t size) const {
  if (size < offset_) return false;
  if (size == offset_ || last_read_.empty()) return true;
  std::string bytes;
  OpenFile(path_, links_).read(bytes, last_read_.size(), offset_ - last_read_.size());
  return bytes == last_read_;
}

// Finds what was read last behind the line that says how much is left out. If that is left out itself,
// reading continues at that line.
bool FileTail::continues_in_shortened(std::uint64_t size) {
  if (gunzip_) return false;
  std::string end;
  const std::uint64_t begin = size - std::min(size, shortened_bytes);
  OpenFile(path_, links_).read(end, size - begin, begin);
  const std::size_t line = end.find(shortened_line);
  if (line == std::string::npos) return false;
  const std::size_t known = last_read_.empty() ? std::string::npos : end.rfind(last_read_);
  const bool is_behind = known != std::string::npos && known > line;
  const std::size_t from = is_behind ? known + last_read_.size() : end.rfind('\n', line);
  offset_ = begin + (from == std::string::npos ? 0 : from);
  return true;
}

// False if nothing is left to read.
bool FileTail::read_rest_of_renamed(std::string& bytes, std::size_t max_bytes) {
  // Folders first: few are beside the log's, while there may be thousands of files beside the log.
  for (const std::filesystem::path& folder : paths_that_begin_with(folder_of(path_)))
    if (read_if_old(folder / path_.filename(), bytes, max_bytes)) return !bytes.empty();
  for (const std::filesystem::path& place : paths_that_begin_with(path_))
    if (read_if_old(place, bytes, max_bytes)) return !bytes.empty();
  return false;
}

// Reads a file if it is the old one, which its inode tells; else returns false.
bool FileTail::read_if_old(const std::filesystem::path& path, std::string& bytes, std::size_t max_bytes) {
  struct stat status {};
  if (look_at(path, links_, status) != 0 || status.st_ino != inode_) return false;
  read_from(path, static_cast<std::uint64_t>(status.st_size), bytes, max_bytes);
  return true;
}

// Reads what follows `offset_` in a file that has `size` bytes on disk.
void FileTail::read_from(const std::filesystem::path& path, std::uint64_t size, std::string& bytes,
                         std::size_t max_bytes) {
  constexpr std::size_t packed_bytes = 64U << 10U;
  if (end_) size = std::min(size, *end_);
  if (size <= offset_) {
    bytes.clear();
    return;
  }
  const OpenFile file(path, links_);
  if (!gunzip_) {
    file.read(bytes, std::min<std::uint64_t>(size - offset_, max_bytes), offset_);
    offset_ += bytes.size();
    last_read_.append(bytes, bytes.size() - std::min(bytes.size(), known_bytes));
    last_read_.erase(0, last_read_.size() - std::min(last_read_.size(), known_bytes));
    return;
  }
  std::string packed;
  do {
    file.read(packed, std::min<std::uint64_t>(size - offset_, packed_bytes), offset_);
    try {
      offset_ += gunzip_->unpack(packed, bytes, max_bytes);
    } catch (const Error& error) {
      throw Error(path.string() + ": " + error.what());
    }
    unpacked_ += bytes.size();
    const std::uint64_t out = std::min<std::uint64_t>(left_out_, bytes.size());
    bytes.erase(0, out);
    left_out_ -= out;
  } while (bytes.empty() && !packed.empty() && size > offset_);
}

void FileTail::skip_to_last(std::uint64_t lines) {
  constexpr std::uint64_t block_bytes = 64U << 10U;
  if (gunzip_) {
    skip_to_last_of_packed(lines);
    return;
  }
  const auto status = status_of(path_, links_);
  if (!status) return;
  inode_ = status->st_ino;
  const auto size = static_cast<std::uint64_t>(status->st_size);
  const OpenFile file(path_, links_);
  std::string block;
  std::uint64_t ends = 0;
  for (std::uint64_t end = size; end > 0;) {
    const std::uint64_t begin = end > block_bytes ? end - block_bytes : 0;
    file.read(block, end - begin, begin);
    for (std::uint64_t i = block.size(); i-- > 0;) {
      const bool last_byte = begin + i + 1 == size;  // its newline belongs to the last line
      if (block[i] == '\n' && !last_byte && ++ends == lines) {
        offset_ = begin + i + 1;
        return;
      }
    }
    end = begin;
  }
  offset_ = lines == 0 ? size : 0;
}

// A compressed file cannot be read backwards, so it is unpacked twice: now to find where its lines begin, and
// again when it is read.
void FileTail::skip_to_last_of_packed(std::uint64_t lines) {
  std::deque<std::uint64_t> begins{0};  // Starts of the last lines, then the end of the data.
  std::uint64_t at = 0;
  std::string bytes;
  while (read(bytes) != Change::none) {
    for (const char c : bytes) {
      ++at;
      if (c == '\n') begins.push_back(at);
      if (begins.size() > lines + 2) begins.pop_front();
    }
  }
  if (begins.back() != at) begins.push_back(at);
  while (begins.size() > lines + 1) begins.pop_front();
  begin_anew();
  left_out_ = begins.front();
}

}  // namespace adarun::monitor
