// SPDX-License-Identifier: Apache-2.0
#include "launcher/agent/files/partial_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <random>
#include <utility>

#include "base/system_text.h"
#include "launcher/agent/base/error.h"

namespace adarun::launcher::agent {

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
  while (!bytes.empty()) {
    const ssize_t written = ::write(file_.get(), bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail_to_stage(place_);
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

// A network file system may report only in close() that it is full.
void PartialFile::finish(mode_t mode) {
  if (::fchmod(file_.get(), mode) != 0 || ::close(file_.release()) != 0) fail_to_stage(place_);
  if (::rename(name_.c_str(), place_.c_str()) != 0) fail_to_stage(place_);
  name_.clear();
}

}  // namespace adarun::launcher::agent
