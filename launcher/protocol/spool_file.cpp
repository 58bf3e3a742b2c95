// SPDX-License-Identifier: Apache-2.0
#include "launcher/protocol/spool_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/system_text.h"
#include "launcher/protocol/archive.h"
#include "launcher/protocol/error.h"

namespace adarun::launcher::protocol {
namespace {

constexpr std::size_t piece_header_bytes = 16;  // position and size of a piece

bool write_at(int fd, std::string_view bytes, std::uint64_t at) {
  while (!bytes.empty()) {
    const ssize_t size = ::pwrite(fd, bytes.data(), bytes.size(), static_cast<off_t>(at));
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(size));
    at += static_cast<std::uint64_t>(size);
  }
  return true;
}

// As many bytes as there are, at most `size`. Throws Error.
std::string read_at(int fd, std::uint64_t at, std::uint64_t size, const std::string& path) {
  std::string bytes(size, '\0');
  std::size_t got = 0;
  while (got < size) {
    const ssize_t count = ::pread(fd, bytes.data() + got, size - got, static_cast<off_t>(at + got));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) throw Error(path + ": cannot read this spool file: " + base::system_text(errno));
    if (count == 0) break;
    got += static_cast<std::size_t>(count);
  }
  bytes.resize(got);
  return bytes;
}

// Creates the missing folders above a file, with mode 0700.
void make_folders(const std::string& file) {
  for (std::size_t slash = file.find('/', 1); slash != std::string::npos; slash = file.find('/', slash + 1))
    ::mkdir(file.substr(0, slash).c_str(), S_IRWXU);
}

}  // namespace

bool SpoolFile::open() {
  if (fd_) return true;
  if (path_.empty()) return false;
  make_folders(path_);
  ::unlink(path_.c_str());  // An existing file may be readable by others.
  fd_ = base::FileDescriptor(::open(path_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR));
  return static_cast<bool>(fd_);
}

std::optional<std::uint64_t> SpoolFile::append(std::uint64_t position, std::string_view bytes) {
  if (broken_ || !open()) {
    broken_ = true;
    return std::nullopt;
  }
  ArchiveWriter header;
  header(position, static_cast<std::uint64_t>(bytes.size()));
  const std::uint64_t at = end_ + piece_header_bytes;
  if (!write_at(fd_.get(), bytes, at) || !write_at(fd_.get(), header.take(), end_)) {
    broken_ = true;
    return std::nullopt;
  }
  end_ = at + bytes.size();
  return at;
}

std::string SpoolFile::read(std::uint64_t at, std::uint64_t size) const {
  std::string bytes = read_at(fd_.get(), at, size, path_);
  if (bytes.size() < size) throw Error(path_ + ": this spool file was cut short");
  return bytes;
}

void SpoolFile::clear() {
  end_ = 0;
  broken_ = !fd_ || ::ftruncate(fd_.get(), 0) != 0;
}

KeptStream::KeptStream(const std::string& path) : path_(path) {
  fd_ = base::FileDescriptor(::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (!fd_ && errno != ENOENT && errno != ENOTDIR)
    throw Error(path + ": cannot open this spool file: " + base::system_text(errno));
  if (fd_) find_pieces();
}

// A piece is written before its header: without a header it was incomplete when the agent was killed.
void KeptStream::find_pieces() {
  struct stat facts {};
  if (::fstat(fd_.get(), &facts) != 0) throw Error(path_ + ": " + base::system_text(errno));
  if (!S_ISREG(facts.st_mode) || facts.st_uid != ::geteuid())
    throw Error(path_ + ": this is no spool file of ours");
  const auto size = static_cast<std::uint64_t>(facts.st_size);
  for (std::uint64_t at = 0;;) {
    const std::string header = read_at(fd_.get(), at, piece_header_bytes, path_);
    if (header.size() < piece_header_bytes) break;
    Piece piece;
    ArchiveReader reader(header);
    reader(piece.position, piece.size);
    piece.at = at + piece_header_bytes;
    if (piece.size == 0) break;
    if (piece.size > size - piece.at) throw Error(path_ + ": this spool file was cut short");
    at = piece.at + piece.size;
    pieces_.push_back(piece);
  }
  std::sort(pieces_.begin(), pieces_.end(),
            [](const Piece& one, const Piece& other) { return one.position < other.position; });
  // Pieces before a gap were delivered.
  for (std::size_t i = pieces_.size(); i > 1; --i)
    if (pieces_[i - 2].position + pieces_[i - 2].size != pieces_[i - 1].position) {
      next_ = i - 1;
      break;
    }
}

std::optional<std::string> KeptStream::next() {
  if (next_ == pieces_.size()) return std::nullopt;
  const Piece& piece = pieces_[next_++];
  std::string bytes = read_at(fd_.get(), piece.at, piece.size, path_);
  if (bytes.size() < piece.size) throw Error(path_ + ": this spool file was cut short");
  return bytes;
}

}  // namespace adarun::launcher::protocol
