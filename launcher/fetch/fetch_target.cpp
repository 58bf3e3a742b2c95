// SPDX-License-Identifier: Apache-2.0
#include "launcher/fetch/fetch_target.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "base/system_text.h"
#include "base/unnamed_file.h"
#include "launcher/base/error.h"
#include "launcher/record/files.h"

namespace adarun::launcher {
namespace {

constexpr std::size_t most_shown = 60;
constexpr int folder_flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC;
constexpr std::size_t block_bytes = 1U << 20U;
constexpr std::int64_t ns_per_s = 1'000'000'000;
constexpr mode_t mine = 0600;
constexpr mode_t readers = 0444;
constexpr const char* name_of_copy = "the copy of a file of a node";

// A name of fixed length: appending to `name` could exceed the file system's limit.
std::string name_of_part(const std::string& name) {
  constexpr std::size_t digits = 16;
  base::Blake2b hash;
  hash.update(name);
  return ".adarun-" + hash.hex().substr(0, digits) + ".part";
}

base::FileDescriptor new_unnamed_file() {
  base::FileDescriptor file = base::unnamed_file();
  if (!file)
    throw Error(base::temporary_folder().string() + ": cannot make a file here: " + base::system_text(errno));
  return file;
}

// Appends to `to` at most so many bytes from `at`, which it moves. Returns how many; -1: errno says why.
ssize_t copy_some(int from, loff_t& at, int to, std::size_t most) {
  const ssize_t copied = copy_file_range(from, &at, to, nullptr, most, 0);
  // Linux before 4.5, the file systems of RHEL 7, and filters of system calls each refuse it in their own
  // way.
  const bool may_be_copied =
      copied < 0 && errno != EIO && errno != ENOSPC && errno != EDQUOT && errno != EINTR;
  if (!may_be_copied) return copied;
  std::array<char, 65536> buffer{};
  const ssize_t size = pread(from, buffer.data(), std::min(most, buffer.size()), at);
  const ssize_t written = size > 0 ? ::write(to, buffer.data(), static_cast<std::size_t>(size)) : size;
  at += std::max<ssize_t>(written, 0);
  return written;
}

}  // namespace

DownloadFolder::DownloadFolder(std::filesystem::path path, std::size_t most_new_folders)
    : path_(std::move(path)), most_new_folders_(most_new_folders), folder_(open_output_folder(path_)) {
  if (flock(folder_.fd(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
    throw Error(path_.string() + ": another adarun is writing there");
}

DownloadPath DownloadFolder::place(const std::string& node, const std::string& path) {
  std::vector<std::string> parts = base::path_parts(path);
  if (parts.empty() || node.empty()) throw Error("\"" + path + "\": no name of a file");
  if (parts.size() > most_parts)
    throw Error("\"" + path.substr(0, most_shown) + "...\": a path of more than " +
                std::to_string(most_parts) + " parts; nothing is written for it");
  parts.insert(parts.begin(), node);
  DownloadPath place{output_folder(base::FileDescriptor(openat(folder_.fd(), ".", folder_flags)), path_), "",
                     path_};
  for (const std::string& part : parts) {
    if (part == "." || part == ".." || part.find_first_of(std::string_view("/\0", 2)) != std::string::npos)
      throw Error("\"" + path + "\": a path that leads elsewhere; nothing is written for it");
    if (!place.name.empty()) place.folder = enter(node, place);
    place.name = part;
    place.path /= part;
  }
  return place;
}

base::OutputFolder DownloadFolder::enter(const std::string& node, const DownloadPath& place) {
  const auto& [folder, name, path] = place;
  const bool is_there = faccessat(folder.fd(), name.c_str(), F_OK, AT_SYMLINK_NOFOLLOW) == 0;
  if (!is_there && ++new_folders_[node] > most_new_folders_)
    throw Error(path.string() + ": one folder too many; a node may make " +
                std::to_string(most_new_folders_));
  if (!is_there && mkdirat(folder.fd(), name.c_str(), ACCESSPERMS & ~S_IWOTH) != 0 && errno != EEXIST)
    throw Error(path.string() + ": cannot make this folder: " + base::system_text(errno));
  base::FileDescriptor fd(openat(folder.fd(), name.c_str(), folder_flags | O_NOFOLLOW));
  if (fd) return output_folder(std::move(fd), path);
  if (errno == ENOTDIR || errno == ELOOP)
    throw Error(path.string() + ": no folder, or a symbolic link, through which nothing is written");
  throw Error(path.string() + ": cannot open this folder: " + base::system_text(errno));
}

ArrivingFile::ArrivingFile(DownloadPath place, protocol::FoundFile found)
    : place_(std::move(place)), found_(std::move(found)), part_name_(name_of_part(place_.name)) {
  struct stat facts {};
  if (fstatat(place_.folder.fd(), place_.name.c_str(), &facts, AT_SYMLINK_NOFOLLOW) == 0 &&
      !S_ISREG(facts.st_mode))
    throw Error(place_.path.string() + ": no regular file, and is not replaced");
}

Known ArrivingFile::known() {
  if (part_ = place_.folder.open_file(part_name_, O_RDWR); part_) {
    read_known(part_.get());
  } else if (old_ = place_.folder.open_file(place_.name, O_RDONLY); old_) {
    read_known(old_.get());
  }
  base::Blake2b so_far = hash_;
  return {size_bytes_, so_far.hex()};
}

void ArrivingFile::read_known(int fd) {
  hash_ = {};
  size_bytes_ = 0;
  std::vector<char> block(block_bytes);
  while (true) {
    const ssize_t size = pread(fd, block.data(), block.size(), static_cast<off_t>(size_bytes_));
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) fail();
    if (size == 0) break;
    hash_.update({block.data(), static_cast<std::size_t>(size)});
    size_bytes_ += static_cast<std::uint64_t>(size);
  }
  lseek(fd, static_cast<off_t>(size_bytes_), SEEK_SET);
}

void ArrivingFile::take(std::uint64_t offset, std::string_view bytes) {
  if (!part_ || offset == 0) begin(offset);
  if (offset != size_bytes_) throw Error(place_.path.string() + ": a part of this file is missing");
  write_all(part_.get(), bytes, place_.path);
  hash_.update(bytes);
  size_bytes_ += bytes.size();
}

void ArrivingFile::begin(std::uint64_t offset) {
  if (!part_) part_ = base::create_file(place_.folder.fd(), part_name_, mine | (found_.mode & readers));
  if (!part_) fail();
  if (offset > 0) return copy_old();
  if (ftruncate(part_.get(), 0) != 0 || lseek(part_.get(), 0, SEEK_SET) != 0) fail();
  hash_ = {};
  size_bytes_ = 0;
}

// On file systems that support it, both files share the common blocks.
void ArrivingFile::copy_old() {
  loff_t from = 0;
  while (static_cast<std::uint64_t>(from) < size_bytes_) {
    const ssize_t size =
        copy_some(old_.get(), from, part_.get(), size_bytes_ - static_cast<std::uint64_t>(from));
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) fail();
  }
}

FetchResult ArrivingFile::finish(const protocol::Fetched& fetched) {
  if (fetched.size_bytes == 0 && size_bytes_ > 0) begin(0);
  base::Blake2b so_far = hash_;
  const bool is_whole = fetched.size_bytes == size_bytes_ && fetched.hash == so_far.hex();
  if (!is_whole) {
    unlinkat(place_.folder.fd(), part_name_.c_str(), 0);
    return FetchResult::damaged;
  }
  if (old_ && !part_) {
    set_time(old_.get());
    return FetchResult::kept;
  }
  if (!part_) begin(0);
  set_time(part_.get());
  if (renameat(place_.folder.fd(), part_name_.c_str(), place_.folder.fd(), place_.name.c_str()) != 0) fail();
  return FetchResult::fresh;
}

void ArrivingFile::set_time(int fd) const {
  const timespec changed{found_.changed_ns / ns_per_s, found_.changed_ns % ns_per_s};
  const timespec times[]{changed, changed};
  futimens(fd, times);
}

void ArrivingFile::fail() const {
  throw Error(place_.path.string() + ": cannot write: " + base::system_text(errno));
}

TemporaryCopy::TemporaryCopy() : file_(new_unnamed_file()) {}

void TemporaryCopy::take(std::uint64_t offset, std::string_view bytes) {
  if (offset == 0) {
    if (ftruncate(file_.get(), 0) != 0)
      throw Error(base::temporary_folder().string() + ": cannot write: " + base::system_text(errno));
    size_bytes_ = 0;
  }
  if (offset != size_bytes_ || lseek(file_.get(), static_cast<off_t>(offset), SEEK_SET) < 0)
    throw Error(std::string(name_of_copy) + ": a part of it is missing");
  write_all(file_.get(), bytes, base::temporary_folder());
  size_bytes_ += bytes.size();
}

FetchResult TemporaryCopy::finish(const protocol::Fetched& fetched) {
  if (fetched.size_bytes < size_bytes_ && ftruncate(file_.get(), 0) == 0) size_bytes_ = 0;
  return fetched.size_bytes == size_bytes_ ? FetchResult::fresh : FetchResult::damaged;
}

void TemporaryCopy::forget() {
  if (dup3(new_unnamed_file().get(), file_.get(), O_CLOEXEC) < 0)
    throw Error(std::string(name_of_copy) + ": " + base::system_text(errno));
  size_bytes_ = 0;
}

std::filesystem::path TemporaryCopy::path() const {
  return "/proc/self/fd/" + std::to_string(file_.get());
}

}  // namespace adarun::launcher
