// SPDX-License-Identifier: Apache-2.0
#include "launcher/agent/files/stage_receiver.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <random>
#include <system_error>
#include <utility>

#include "base/system_text.h"
#include "launcher/agent/base/descriptors.h"
#include "launcher/agent/base/error.h"
#include "launcher/agent/base/poll.h"
#include "launcher/protocol/archive.h"

namespace adarun::launcher::agent {
namespace {

// Whether anyone may make entries in `folder`, as one of which it has `inner`. What is mounted there is the
// machine's.
bool may_be_made_by_anyone(const struct stat& inner, const std::filesystem::path& folder) {
  constexpr mode_t for_anyone = S_ISVTX | S_IWOTH;
  struct stat facts {};
  return ::stat(folder.c_str(), &facts) == 0 && (facts.st_mode & for_anyone) == for_anyone &&
         facts.st_dev == inner.st_dev;
}

constexpr mode_t permissions = ACCESSPERMS;
// Of one tick. On a network file system each item may take milliseconds, and Pings are to be answered
// meanwhile.
constexpr std::chrono::milliseconds tick_time{5};

std::string parent_of(const std::string& path) {
  return path.substr(0, path.rfind('/'));
}

void set_mode(const std::string& path, mode_t mode) {
  struct stat facts {};
  if (::stat(path.c_str(), &facts) != 0) fail_to_stage(path);
  if ((facts.st_mode & permissions) != mode && ::chmod(path.c_str(), mode) != 0) fail_to_stage(path);
}

void make_link(const std::string& path, const std::string& target) {
  std::error_code none;
  if (std::filesystem::read_symlink(path, none) == target && !foreign_place(path)) return;
  const std::string name = name_beside(path);
  if (::symlink(target.c_str(), name.c_str()) != 0) fail_to_stage(path);
  if (::rename(name.c_str(), path.c_str()) == 0) return;
  const int error = errno;
  ::unlink(name.c_str());
  errno = error;
  fail_to_stage(path);
}

}  // namespace

std::optional<std::string> foreign_place(const std::string& path) {
  for (std::filesystem::path place = path; place.has_relative_path() && place != ".";
       place = place.parent_path()) {
    struct stat facts {};
    const bool is_ours =
        ::lstat(place.c_str(), &facts) != 0 || facts.st_uid == ::geteuid() || facts.st_uid == 0;
    if (!is_ours && may_be_made_by_anyone(facts, place.has_parent_path() ? place.parent_path() : "."))
      return place;
  }
  return std::nullopt;
}

void fail_to_stage(const std::string& place) {
  const int error = errno;
  throw Error("cannot stage \"" + place + "\": " + base::system_text(error), failure_of_path(error));
}

// Other nodes may write into the same folder on a shared file system.
std::string name_beside(const std::string& place) {
  std::random_device random;
  const std::string folder = place.substr(0, place.rfind('/') + 1);
  return folder + ".adarun-" + std::to_string(random()) + "-" + std::to_string(random());
}

PartialFile::PartialFile(std::string place) : place_(std::move(place)), name_(name_beside(place_)) {
  file_ = base::FileDescriptor(
      ::open(name_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, S_IRUSR | S_IWUSR));
  if (file_) return;
  name_.clear();
  fail_to_stage(place_);
}

PartialFile::PartialFile(PartialFile&& other) noexcept
    : place_(std::move(other.place_)),
      name_(std::exchange(other.name_, "")),
      file_(std::move(other.file_)),
      size_bytes_(other.size_bytes_) {}

PartialFile::~PartialFile() {
  if (!name_.empty()) ::unlink(name_.c_str());
}

void PartialFile::write(std::string_view bytes) {
  size_bytes_ += bytes.size();
  if (!write_all(file_.get(), bytes)) fail_to_stage(place_);
}

// A network file system may report only in close() that it is full.
void PartialFile::finish(mode_t mode) {
  if (::fchmod(file_.get(), mode) != 0 || ::close(file_.release()) != 0) fail_to_stage(place_);
  if (::rename(name_.c_str(), place_.c_str()) != 0) fail_to_stage(place_);
  name_.clear();
}

void StageReceiver::take(protocol::Stage order) {
  order_ = std::move(order);
  present_ = {};
  hash_.reset();
  writing_.reset();
  settling_.reset();
  looking_ = true;
}

void StageReceiver::tick() {
  for (const auto end = Clock::now() + tick_time; working();) {
    step();
    if (Clock::now() >= end) return;
  }
}

void StageReceiver::step() {
  if (!looking_) return settle_next();
  try {
    if (!hash_) return look_at_next();
    if (!hash_->advance()) return;
    present_.hashes.push_back(hash_->hex());
  } catch (const std::system_error&) {
    present_.hashes.emplace_back();  // An unreadable file is sent again: that replaces it or reports why not.
  }
  hash_.reset();
}

void StageReceiver::look_at_next() {
  if (present_.hashes.size() == order_.items.size()) {
    looking_ = false;
    messages_.push_back(std::exchange(present_, {}));
    return;
  }
  const protocol::StageItem& next = order_.items[present_.hashes.size()];
  struct stat facts {};
  const bool is_file = next.kind == protocol::StageKind::file && ::stat(path_of(next).c_str(), &facts) == 0 &&
                       S_ISREG(facts.st_mode);
  if (is_file && static_cast<std::uint64_t>(facts.st_size) == next.size && !foreign_place(path_of(next)))
    hash_.emplace(path_of(next));
  else
    present_.hashes.emplace_back();
}

void StageReceiver::take(const protocol::StagePart& part) {
  const protocol::StageItem& file = item(part.item);
  if (part.offset == 0) {
    make_folder(parent_of(path_of(file)));
    writing_.reset();
    writing_.emplace(part.item, PartialFile(path_of(file)));
  }
  if (!writing_ || writing_->first != part.item || writing_->second.size_bytes() != part.offset)
    throw protocol::Error("a part of a file without those before it");
  writing_->second.write(part.bytes);
  messages_.push_back(protocol::StageTaken{static_cast<std::uint32_t>(part.bytes.size())});
  if (writing_->second.size_bytes() < file.size) return;
  writing_->second.finish(file.mode);
  writing_.reset();
}

void StageReceiver::take(const protocol::StageEnd& /*end*/) {
  settling_ = 0;
}

// Each item in its order, then each once more, the last one first: folder modes are set last, inner folders
// first, because a mode may make a folder read-only. A step that fails is the last one.
void StageReceiver::settle_next() {
  const std::size_t step = *std::exchange(settling_, std::nullopt);
  const std::size_t count = order_.items.size();
  if (step == 2 * count) {
    messages_.emplace_back(protocol::Staged{});
    return;
  }
  if (step < count)
    settle(order_.items[step]);
  else
    set_folder_mode(order_.items[2 * count - 1 - step]);
  settling_ = step + 1;
}

void StageReceiver::settle(const protocol::StageItem& item) {
  const std::string path = path_of(item);
  if (item.kind == protocol::StageKind::folder) return make_folder(path);
  make_folder(parent_of(path));
  if (item.kind == protocol::StageKind::link) return make_link(path, item.target);
  set_mode(path, item.mode);
}

void StageReceiver::set_folder_mode(const protocol::StageItem& item) {
  const std::string path = path_of(item);
  if (item.kind == protocol::StageKind::folder && made_folders_.contains(path)) set_mode(path, item.mode);
}

void StageReceiver::make_folder(const std::string& path) {
  if (path.empty()) return;
  int result = ::mkdir(path.c_str(), ACCESSPERMS);
  if (result != 0 && errno == ENOENT) {
    make_folder(parent_of(path));
    result = ::mkdir(path.c_str(), ACCESSPERMS);
  }
  if (result == 0) {
    made_folders_.insert(path);
  } else if (errno != EEXIST) {
    fail_to_stage(path);
  } else if (const auto foreign = foreign_place(path)) {
    throw Error("cannot stage \"" + path + "\": " + *foreign +
                " is of another user, in a folder where anyone may make entries");
  }
}

const protocol::StageItem& StageReceiver::item(std::uint32_t index) const {
  if (index >= order_.items.size()) throw protocol::Error("a part of a file that was not announced");
  return order_.items[index];
}

std::string StageReceiver::path_of(const protocol::StageItem& item) const {
  const std::string folder = order_.folder.empty() ? "." : order_.folder;
  return item.path.starts_with('/') ? item.path : folder + '/' + item.path;
}

}  // namespace adarun::launcher::agent
