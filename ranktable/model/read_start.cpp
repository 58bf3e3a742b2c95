// SPDX-License-Identifier: Apache-2.0
#include "ranktable/model/read_start.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <optional>

#include "base/file_descriptor.h"
#include "base/system_text.h"
#include "ranktable/model/error.h"

namespace adarun::ranktable {
namespace {

constexpr std::size_t smallest_block_bytes = 4096;

[[noreturn]] void fail_to_read(const std::filesystem::path& path, int error) {
  if (error == EISDIR) throw Error(path.string() + ": is a directory, wanted a file");
  throw Error(path.string() + ": " + base::system_text(error));
}

// The size of a regular file; nothing for other files.
std::optional<std::size_t> size_of(int descriptor) {
  struct stat status {};
  if (::fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
  return static_cast<std::size_t>(status.st_size);
}

// For files that are not regular: waits for data or the end. A terminal has no timeout, because a user may be
// typing.
void await_bytes(int descriptor, const std::filesystem::path& path, std::chrono::milliseconds timeout) {
  pollfd polled{descriptor, POLLIN, 0};
  const int limit = ::isatty(descriptor) != 0 ? -1 : static_cast<int>(timeout.count());
  if (::poll(&polled, 1, limit) == 0) throw Error(path.string() + ": given up: nobody writes anything to it");
}

}  // namespace

std::string read_start(const std::filesystem::path& path, std::size_t max_bytes,
                       std::chrono::milliseconds timeout) {
  // Non-blocking, because opening a pipe without a writer would block.
  const base::FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file) fail_to_read(path, errno);
  const auto size_told = size_of(file.get());
  // One byte more than expected, so that the read that finds the end of the file has room.
  std::string text(std::min(std::max(size_told.value_or(0) + 1, smallest_block_bytes), max_bytes), '\0');
  std::size_t used = 0;
  while (used < max_bytes) {
    if (used == text.size()) text.resize(std::min(2 * used, max_bytes));
    if (!size_told) await_bytes(file.get(), path, timeout);
    const ssize_t size = ::read(file.get(), text.data() + used, text.size() - used);
    if (size < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (size < 0) fail_to_read(path, errno);
    if (size == 0) break;
    used += static_cast<std::size_t>(size);
  }
  text.resize(used);
  return text;
}

}  // namespace adarun::ranktable
