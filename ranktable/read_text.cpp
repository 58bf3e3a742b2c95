// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "ranktable/descriptor.h"
#include "ranktable/error.h"
#include "ranktable/parse.h"

namespace adarun::ranktable {
namespace {

constexpr std::size_t smallest_block_bytes = 4096;

[[noreturn]] void fail(const std::filesystem::path& path, int error) {
  if (error == EISDIR) throw Error(path.string() + ": is a directory, wanted a file");
  throw Error(path.string() + ": " + std::strerror(error));
}

// What the file says of its size; nothing of a pipe.
std::size_t size_of(int descriptor) {
  struct stat status {};
  return ::fstat(descriptor, &status) == 0 ? static_cast<std::size_t>(status.st_size) : 0;
}

}  // namespace

std::string read_start(const std::filesystem::path& path, std::size_t max_bytes) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.is_open()) fail(path, errno);
  // One byte more than there should be, so that the read which finds the end has room.
  std::string text(std::min(std::max(size_of(file.number()) + 1, smallest_block_bytes), max_bytes), '\0');
  std::size_t used = 0;
  while (used < max_bytes) {
    if (used == text.size()) text.resize(std::min(2 * used, max_bytes));
    const ssize_t size = ::read(file.number(), text.data() + used, text.size() - used);
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) fail(path, errno);
    if (size == 0) break;
    used += static_cast<std::size_t>(size);
  }
  text.resize(used);
  return text;
}

std::string read_text(const std::filesystem::path& path) {
  return read_start(path, max_rank_list_text_bytes + 1);
}

}  // namespace adarun::ranktable
