// SPDX-License-Identifier: Apache-2.0
#include "monitor/files/open_file.h"

#include <fcntl.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <new>
#include <system_error>

#include "base/system_text.h"
#include "monitor/base/error.h"

namespace adarun::monitor {
namespace {

namespace fs = std::filesystem;

base::FileDescriptor open_at(const fs::path& path, Links links, int flags) {
  if (links == Links::refused) return base::open_no_links(path.string(), flags);
  return base::FileDescriptor(open(path.c_str(), flags | O_CLOEXEC));
}

// What it is without a look at it, where the folder tells.
mode_t kind_of(int folder, const dirent& entry, Links links) {
  if (entry.d_type == DT_REG || entry.d_type == DT_DIR) return DTTOIF(entry.d_type);
  struct stat status {};
  const int flags = links == Links::refused ? AT_SYMLINK_NOFOLLOW : 0;
  return fstatat(folder, entry.d_name, &status, flags) == 0 ? status.st_mode & S_IFMT : 0;
}

}  // namespace

int look_at(const fs::path& path, Links links, struct stat& status) {
  if (links == Links::followed) return stat(path.c_str(), &status);
  const base::FileDescriptor file = open_at(path, links, O_PATH);
  return file ? fstat(file.get(), &status) : -1;
}

std::int64_t written_ms(const fs::path& path, Links links) {
  struct stat status {};
  if (look_at(path, links, status) != 0) return 0;
  return status.st_mtim.tv_sec * std::int64_t{1000} + status.st_mtim.tv_nsec / 1'000'000;
}

std::string cannot_be_read(const fs::path& path, Links links) {
  const bool is_link = links == Links::refused && errno == ELOOP;
  return path.string() + ": cannot be read: " +
         (is_link ? "a symbolic link is in its path, and none is followed here" : base::system_text(errno));
}

std::vector<FolderEntry> entries_of(const fs::path& folder, Links links) {
  base::FileDescriptor opened = open_at(folder, links, O_RDONLY | O_DIRECTORY);
  const base::Directory stream(opened ? fdopendir(opened.get()) : nullptr);
  if (!stream)
    throw fs::filesystem_error("cannot read this folder", folder, {errno, std::generic_category()});
  const int fd = opened.release();  // The stream closes it.
  std::vector<FolderEntry> entries;
  while (const dirent* entry = readdir(stream.get())) {
    const std::string name = entry->d_name;
    if (name == "." || name == "..") continue;
    const mode_t kind = kind_of(fd, *entry, links);
    if (links == Links::followed || kind != S_IFLNK)
      entries.push_back({folder / name, kind == S_IFREG, kind == S_IFDIR});
  }
  std::ranges::sort(entries, {},
                    [](const FolderEntry& entry) -> const std::string& { return entry.path.native(); });
  return entries;
}

OpenFile::OpenFile(const fs::path& path, Links links)
    : path_(path.string()), links_(links), file_(open_at(path, links, O_RDONLY | O_NONBLOCK | O_NOCTTY)) {
  if (!file_) fail();
}

std::uint64_t OpenFile::size() const {
  struct stat status {};
  if (fstat(file_.get(), &status) != 0) fail();
  if (!S_ISREG(status.st_mode)) throw Error(path_ + ": not a regular file; wanted a log file");
  return static_cast<std::uint64_t>(status.st_size);
}

void OpenFile::read(std::string& bytes, std::size_t wanted, std::uint64_t offset) const {
  bytes.resize(wanted);
  std::size_t have = 0;
  while (have < wanted) {
    const ssize_t got =
        pread(file_.get(), bytes.data() + have, wanted - have, static_cast<off_t>(offset + have));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail();
    if (got == 0) break;
    have += static_cast<std::size_t>(got);
  }
  bytes.resize(have);
}

void OpenFile::fail() const {
  throw Error(cannot_be_read(path_, links_));
}

Gunzip::Gunzip()
    : stream_(new z_stream_s{}, [](z_stream_s* stream) {
        inflateEnd(stream);
        delete stream;  // NOLINT: what the unique_ptr owns
      }) {
  constexpr int gzip_only = 16;
  if (inflateInit2(stream_.get(), gzip_only + MAX_WBITS) != Z_OK) throw std::bad_alloc();
}

std::size_t Gunzip::unpack(std::string_view packed, std::string& bytes, std::size_t max_bytes) {
  bytes.resize(max_bytes);
  z_stream& z = *stream_;
  z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));  // NOLINT: only read
  z.avail_in = static_cast<uInt>(packed.size());
  z.next_out = reinterpret_cast<Bytef*>(bytes.data());
  z.avail_out = static_cast<uInt>(max_bytes);
  while (z.avail_out > 0) {
    if (ended_ && z.avail_in == 0) break;
    if (ended_) inflateReset(&z);
    ended_ = false;
    const int result = inflate(&z, Z_NO_FLUSH);
    if (result == Z_BUF_ERROR) break;
    if (result != Z_OK && result != Z_STREAM_END)
      throw Error(std::string("not gzip data, or damaged: ") + (z.msg == nullptr ? "wrong data" : z.msg));
    ended_ = result == Z_STREAM_END;
  }
  bytes.resize(max_bytes - z.avail_out);
  return packed.size() - z.avail_in;
}

}  // namespace adarun::monitor
