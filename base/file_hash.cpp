// SPDX-License-Identifier: Apache-2.0
#include "base/file_hash.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <vector>

namespace adarun::base {
namespace {

constexpr std::size_t block_bytes = 256U << 10U;
constexpr int blocks_per_slice = 16;

}  // namespace

// O_NONBLOCK, since opening a FIFO that has no writer would block.
FileHash::FileHash(const std::string& path)
    : path_(path), file_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)) {
  if (!file_) throw std::system_error(errno, std::generic_category(), path);
}

bool FileHash::advance() {
  std::vector<char> block(block_bytes);
  for (int i = 0; i < blocks_per_slice; ++i) {
    const ssize_t size = ::read(file_.get(), block.data(), block.size());
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) throw std::system_error(errno, std::generic_category(), path_);
    if (size == 0) {
      hex_ = hash_.hex();
      return true;
    }
    hash_.update({block.data(), static_cast<std::size_t>(size)});
    size_bytes_ += static_cast<std::uint64_t>(size);
  }
  return false;
}

std::string hash_of(const std::string& path) {
  FileHash hash(path);
  while (!hash.advance()) {
  }
  return hash.hex();
}

}  // namespace adarun::base
