// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <optional>
#include <system_error>

#include "base/file_descriptor.h"
#include "base/system_text.h"
#include "ranktable/model/error.h"
#include "ranktable/write.h"

namespace adarun::ranktable {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail_to_write(const fs::path& path, int error) {
  throw Error(path.string() + ": cannot be written: " + base::system_text(error));
}

// Returns 0, or errno on failure.
int write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

void write_in_place(const fs::path& path, std::string_view text) {
  const base::FileDescriptor file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  if (!file) fail_to_write(path, errno);
  if (const int error = write_all(file.get(), text)) fail_to_write(path, error);
}

// The permission bits of an existing file.
std::optional<mode_t> mode_of(const fs::path& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return std::nullopt;
  return status.st_mode & 07777U;
}

int fill(int descriptor, std::string_view text, std::optional<mode_t> mode) {
  if (mode && ::fchmod(descriptor, *mode) != 0) return errno;
  if (const int error = write_all(descriptor, text)) return error;
  return ::fsync(descriptor) == 0 ? 0 : errno;
}

// Opens a new file in the folder of `target` and stores its name in `made`.
int open_beside(const fs::path& target, fs::path& made) {
  const std::string stem = "." + target.filename().string() + "." + std::to_string(::getpid()) + ".";
  for (int attempt = 0; attempt < 100; ++attempt) {
    made = target;
    made.replace_filename(stem + std::to_string(attempt) + ".tmp");
    const int descriptor = ::open(made.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor >= 0 || errno != EEXIST) return descriptor;
  }
  return -1;
}

}  // namespace

void write_file(const fs::path& path, std::string_view text) {
  std::error_code ignored;
  if (fs::exists(path, ignored) && !fs::is_regular_file(path, ignored)) return write_in_place(path, text);
  const fs::path target = fs::is_symlink(path, ignored) ? fs::weakly_canonical(path, ignored) : path;
  fs::path temporary;
  const base::FileDescriptor file(open_beside(target, temporary));
  if (!file) fail_to_write(path, errno);
  int error = fill(file.get(), text, mode_of(target));
  if (error == 0 && std::rename(temporary.c_str(), target.c_str()) != 0) error = errno;
  if (error == 0) return;
  ::unlink(temporary.c_str());
  fail_to_write(path, error);
}

}  // namespace adarun::ranktable
