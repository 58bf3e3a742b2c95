// SPDX-License-Identifier: Apache-2.0
#include "launcher/agent/files/file_sender.h"

#include <dirent.h>
#include <fcntl.h>
#include <fnmatch.h>
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

// At most this many left-out paths are reported.
constexpr std::size_t most_left_out = 100;
constexpr std::int64_t ns_per_s = 1'000'000'000;

bool has_wildcard(const std::string& part) {
  return part.find_first_of("*?[\\") != std::string::npos;
}

std::string below(const std::string& folder, const std::string& name) {
  return folder.empty() || folder == "/" ? folder + name : folder + '/' + name;
}

protocol::FoundFile file_of(const std::string& path, const struct stat& facts) {
  return {path, static_cast<std::uint64_t>(facts.st_size),
          facts.st_mtim.tv_sec * ns_per_s + facts.st_mtim.tv_nsec, facts.st_ino, facts.st_mode & ACCESSPERMS};
}

}  // namespace

FileWalk::FileWalk(const protocol::Find& find) : most_files_(find.most_files) {
  for (const std::string& pattern : find.patterns) {
    places_.push_back({pattern.starts_with('/') ? "/" : "", patterns_.size(), 0, false});
    patterns_.push_back(base::path_parts(pattern));
  }
}

bool FileWalk::advance() {
  if (!found_.refusal.empty() || (!folder_ && places_.empty())) return false;
  if (folder_) {
    read_on();
    return true;
  }
  Place place = std::move(places_.back());
  places_.pop_back();
  const auto& parts = patterns_[place.pattern];
  if (!place.is_inside && place.part == parts.size()) {
    look_at(place);
  } else if (!place.is_inside && !has_wildcard(parts[place.part])) {
    places_.push_back({below(place.path, parts[place.part]), place.pattern, place.part + 1, false});
  } else {
    open(std::move(place));
  }
  return true;
}

protocol::FileListing FileWalk::take() {
  const auto by_path = [](const auto& one, const auto& other) { return one.path < other.path; };
  if (!found_.refusal.empty()) found_.files.clear();
  std::sort(found_.files.begin(), found_.files.end(), by_path);
  std::sort(found_.left_out.begin(), found_.left_out.end());
  return std::move(found_);
}

void FileWalk::look_at(const Place& place) {
  struct stat facts {};
  if (::lstat(place.path.empty() ? "." : place.path.c_str(), &facts) != 0) {
    if (errno != ENOENT && errno != ENOTDIR) leave_out(place.path, base::system_text(errno));
  } else if (S_ISDIR(facts.st_mode)) {
    places_.push_back({place.path, place.pattern, place.part, true});
  } else if (S_ISLNK(facts.st_mode)) {
    leave_out(place.path, "a symbolic link");
  } else if (!S_ISREG(facts.st_mode)) {
    leave_out(place.path, "no regular file");
  } else if (seen_.insert(place.path).second) {
    found_.files.push_back(file_of(place.path, facts));
    if (found_.files.size() > most_files_)
      found_.refusal = "more than " + std::to_string(most_files_) + " files match";
  }
}

void FileWalk::open(Place place) {
  const std::string path = place.path.empty() ? "." : place.path;
  folder_.reset(::opendir(path.c_str()));
  if (folder_)
    folder_place_ = std::move(place);
  else if (errno != ENOENT && errno != ENOTDIR)
    leave_out(path, base::system_text(errno));
}

void FileWalk::read_on() {
  for (int i = 0; i < names_per_step && found_.refusal.empty(); ++i) {
    const dirent* entry = ::readdir(folder_.get());
    if (entry == nullptr) return folder_.reset();
    const std::string name = entry->d_name;
    if (name == "." || name == "..") continue;
    if (++names_ > most_names)
      found_.refusal = "more than " + std::to_string(most_names) + " names to look at";
    else
      meet(folder_place_, name);
  }
}

void FileWalk::meet(const Place& place, const std::string& name) {
  const auto& parts = patterns_[place.pattern];
  const std::string path = below(place.path, name);
  if (place.is_inside) return look_at({path, place.pattern, place.part, false});
  if (::fnmatch(parts[place.part].c_str(), name.c_str(), FNM_PERIOD) != 0) return;
  if (place.part + 1 == parts.size()) return look_at({path, place.pattern, place.part + 1, false});
  struct stat facts {};
  if (::stat(path.c_str(), &facts) != 0 || !S_ISDIR(facts.st_mode)) return;
  if (::lstat(path.c_str(), &facts) != 0) return;
  if (S_ISLNK(facts.st_mode)) return leave_out(path, "a symbolic link");
  if (S_ISDIR(facts.st_mode)) places_.push_back({path, place.pattern, place.part + 1, false});
}

void FileWalk::leave_out(const std::string& path, const std::string& why) {
  if (found_.left_out.size() < most_left_out) found_.left_out.push_back(path + ": " + why);
}

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
