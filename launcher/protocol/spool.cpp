// SPDX-License-Identifier: Apache-2.0
#include "launcher/protocol/spool.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/system_text.h"
#include "launcher/protocol/archive.h"

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

// Small frames share a chunk of up to this size.
constexpr std::size_t chunk_bytes = 64U << 10U;

}  // namespace

bool SpoolFile::open() {
  if (fd_) return true;
  if (path_.empty()) return false;
  make_folders(path_);
  ::unlink(path_.c_str());  // An existing file may be readable by others.
  fd_ = base::FileDescriptor(::open(path_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR));
  if (fd_) ::flock(fd_.get(), LOCK_EX | LOCK_NB);
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

void Spool::spill(std::string file, std::uint64_t memory_bytes, std::uint64_t file_bytes) {
  file_ = SpoolFile(std::move(file), file_bytes);
  most_in_memory_ = memory_bytes;
}

void Spool::append(std::string frames) {
  const std::uint64_t begin = end_;
  end_ += frames.size();
  if (in_memory_ + frames.size() > most_in_memory_) {
    if (const auto at = file_.append(begin, frames)) {
      chunks_.push_back({begin, frames.size(), "", at});
      return;
    }
  }
  in_memory_ += frames.size();
  if (!chunks_.empty() && !chunks_.back().file_at && chunks_.back().size + frames.size() <= chunk_bytes) {
    chunks_.back().bytes += frames;
    chunks_.back().size += frames.size();
  } else {
    const std::uint64_t size = frames.size();
    chunks_.push_back({begin, size, std::move(frames)});
  }
}

bool Spool::has_room() const {
  const bool goes_to_file = !chunks_.empty() && chunks_.back().file_at;
  return (!goes_to_file && in_memory_ < most_in_memory_) || file_.has_room();
}

std::string_view Spool::unsent() {
  if (sent_ == end_) return {};
  const auto chunk = std::partition_point(
      chunks_.begin(), chunks_.end(), [this](const Chunk& each) { return each.begin + each.size <= sent_; });
  return bytes_of(*chunk).substr(sent_ - chunk->begin);
}

std::string_view Spool::bytes_of(const Chunk& chunk) {
  if (!chunk.file_at) return chunk.bytes;
  if (loaded_.empty() || loaded_at_ != chunk.begin) {
    loaded_ = file_.read(*chunk.file_at, chunk.size);
    loaded_at_ = chunk.begin;
  }
  return loaded_;
}

void Spool::acknowledge(std::uint64_t position) {
  if (position > end_) throw Error("stream: more was received than was sent");
  acknowledged_ = std::max(acknowledged_, position);
  sent_ = std::max(sent_, acknowledged_);
  bool had_file = false;
  while (!chunks_.empty() && chunks_.front().begin + chunks_.front().size <= acknowledged_) {
    had_file = had_file || chunks_.front().file_at;
    if (!chunks_.front().file_at) in_memory_ -= chunks_.front().size;
    chunks_.pop_front();
  }
  if (had_file &&
      std::none_of(chunks_.begin(), chunks_.end(), [](const Chunk& each) { return each.file_at; }))
    file_.clear();
}

void Spool::rewind(std::uint64_t position) {
  if (position < acknowledged_ || position > end_)
    throw Error("stream: cannot continue from byte " + std::to_string(position));
  sent_ = position;
}

void Spool::keep() {
  for (const Chunk& chunk : chunks_)
    if (!chunk.file_at && !file_.append(chunk.begin, chunk.bytes))
      throw Error(file_.path() + ": cannot write to this spool file");
}

}  // namespace adarun::launcher::protocol
