// SPDX-License-Identifier: Apache-2.0
#include "launcher/fetch/passing_file.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <system_error>

#include "base/system_text.h"
#include "launcher/base/error.h"
#include "launcher/record/files.h"

namespace adarun::launcher {
namespace {

constexpr const char* name_for_messages = "the copy of a file of a node";

std::filesystem::path folder() {
  std::error_code error;
  const auto found = std::filesystem::temp_directory_path(error);
  return error ? "/tmp" : found;
}

base::FileDescriptor unnamed_file() {
  base::FileDescriptor file(open(folder().c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, S_IRUSR | S_IWUSR));
  if (file) return file;
  std::string name = folder() / "adarun-XXXXXX";
  file = base::FileDescriptor(mkostemp(name.data(), O_CLOEXEC));
  if (!file) throw Error(folder().string() + ": cannot make a file here: " + base::system_text(errno));
  unlink(name.c_str());
  return file;
}

}  // namespace

PassingFile::PassingFile() : file_(unnamed_file()) {}

void PassingFile::take(std::uint64_t offset, std::string_view bytes) {
  if (offset == 0) {
    if (ftruncate(file_.get(), 0) != 0)
      throw Error(folder().string() + ": cannot write: " + base::system_text(errno));
    size_bytes_ = 0;
  }
  if (offset != size_bytes_ || lseek(file_.get(), static_cast<off_t>(offset), SEEK_SET) < 0)
    throw Error(std::string(name_for_messages) + ": a part of it is missing");
  write_all(file_.get(), bytes, folder());
  size_bytes_ += bytes.size();
}

Arrived PassingFile::finish(const protocol::Fetched& fetched) {
  if (fetched.size_bytes < size_bytes_ && ftruncate(file_.get(), 0) == 0) size_bytes_ = 0;
  return fetched.size_bytes == size_bytes_ ? Arrived::fresh : Arrived::damaged;
}

void PassingFile::forget() {
  if (dup3(unnamed_file().get(), file_.get(), O_CLOEXEC) < 0)
    throw Error(std::string(name_for_messages) + ": " + base::system_text(errno));
  size_bytes_ = 0;
}

std::filesystem::path PassingFile::path() const {
  return "/proc/self/fd/" + std::to_string(file_.get());
}

}  // namespace adarun::launcher
