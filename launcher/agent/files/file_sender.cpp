// SPDX-License-Identifier: Apache-2.0
#include "launcher/agent/files/file_sender.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>

#include "base/system_text.h"
#include "launcher/agent/base/poll.h"
#include "launcher/protocol/archive.h"
#include "launcher/protocol/frame.h"
#include "launcher/protocol/pack.h"

namespace adarun::launcher::agent {
namespace {

constexpr std::uint64_t part_bytes = 256U << 10U;
// Of one step of a search. On a network file system each name may take milliseconds.
constexpr std::chrono::milliseconds walk_time{5};
constexpr int pieces_per_step = 16;
// After a part that packing made too little smaller, this many are sent unpacked without trying.
constexpr int parts_without_trying = 15;

}  // namespace

std::optional<protocol::Message> FileSender::next() {
  if (walk_) return walk_on();
  if (orders_.empty()) return std::nullopt;
  try {
    if (!reading_) return open();
    return reading_->is_sending ? send() : compare();
  } catch (const std::system_error& error) {
    return end(base::system_text(error.code().value()));
  }
}

std::optional<protocol::Message> FileSender::walk_on() {
  const auto step_end = Clock::now() + walk_time;
  while (walk_->advance())
    if (Clock::now() >= step_end) return std::nullopt;
  protocol::FileListing found = walk_->take();
  walk_.reset();
  return found;
}

std::optional<protocol::Message> FileSender::open() {
  const protocol::Fetch& order = orders_.front();
  Reading& reading = reading_.emplace(Reading{});
  reading.file = base::FileDescriptor(
      ::open(order.path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW));
  struct stat facts {};
  if (!reading.file) return end(errno == ELOOP ? "a symbolic link" : base::system_text(errno));
  if (::fstat(reading.file.get(), &facts) != 0) return end(base::system_text(errno));
  if (!S_ISREG(facts.st_mode)) return end("no regular file");
  reading.size_bytes = static_cast<std::uint64_t>(facts.st_size);
  if (order.offset == 0 || order.offset > reading.size_bytes) {
    reading.is_sending = true;
  } else if (order.hash.empty()) {
    reading.at = order.offset;
    reading.is_hashed = false;
    reading.is_sending = true;
  }
  return std::nullopt;
}

std::optional<protocol::Message> FileSender::compare() {
  Reading& reading = *reading_;
  const protocol::Fetch& order = orders_.front();
  for (int i = 0; i < pieces_per_step && reading.at < order.offset; ++i) {
    const std::string bytes = read(std::min(part_bytes, order.offset - reading.at));
    reading.is_sending = bytes.empty();
    if (reading.is_sending) break;
    reading.hash.update(bytes);
    reading.at += bytes.size();
  }
  if (reading.at < order.offset && !reading.is_sending) return std::nullopt;
  base::Blake2b so_far = reading.hash;
  if (reading.at < order.offset || so_far.hex() != order.hash) {
    reading.at = 0;
    reading.hash = {};
  }
  reading.is_sending = true;
  return std::nullopt;
}

// A file that grows is sent up to the size it had when it was opened; a later Fetch gets the rest.
protocol::Message FileSender::send() {
  Reading& reading = *reading_;
  if (reading.at >= reading.size_bytes) return end("");
  std::string bytes = read(std::min(part_bytes, reading.size_bytes - reading.at));
  if (bytes.empty()) return end("was cut short while it was read");
  if (reading.is_hashed) reading.hash.update(bytes);
  reading.at += bytes.size();
  return part(std::move(bytes));
}

protocol::FetchPart FileSender::part(std::string bytes) {
  protocol::FetchPart part;
  part.id = orders_.front().id;
  part.offset = reading_->at - bytes.size();
  if (bytes.size() < protocol::least_packed_bytes || parts_unpacked_ > 0) {
    parts_unpacked_ = std::max(parts_unpacked_ - 1, 0);
    part.bytes = std::move(bytes);
    return part;
  }
  part.bytes = protocol::pack(bytes);
  part.is_packed = part.bytes.size() <= bytes.size() / 4 * 3;
  if (part.is_packed) return part;
  part.bytes = std::move(bytes);
  parts_unpacked_ = parts_without_trying;
  return part;
}

protocol::Message FileSender::end(const std::string& reason) {
  protocol::Fetched fetched;
  fetched.id = orders_.front().id;
  fetched.size_bytes = reading_->at;
  if (reason.empty() && reading_->is_hashed) fetched.hash = reading_->hash.hex();
  fetched.reason = reason;
  orders_.pop_front();
  reading_.reset();
  return fetched;
}

// Empty at the end of the file.
std::string FileSender::read(std::uint64_t bytes) {
  std::string piece(static_cast<std::size_t>(bytes), '\0');
  ssize_t size = 0;
  do {
    size = ::pread(reading_->file.get(), piece.data(), piece.size(), static_cast<off_t>(reading_->at));
  } while (size < 0 && errno == EINTR);
  if (size < 0) throw std::system_error(errno, std::generic_category());
  piece.resize(static_cast<std::size_t>(size));
  return piece;
}

}  // namespace adarun::launcher::agent
