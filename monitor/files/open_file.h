// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>

#include "base/file_descriptor.h"

namespace adarun::monitor {

/// A file open for reading, closed at the end of its scope.
class OpenFile {
 public:
  /// Throws Error if the file cannot be opened. Does not wait for the writer of a pipe.
  explicit OpenFile(const std::filesystem::path& path);

  /// The size now. Throws Error if it is not a regular file.
  std::uint64_t size() const;

  /// Replaces `bytes` by at most `wanted` bytes from `offset` on; fewer only at the end of the file.
  /// Overwriting the old content of `bytes` is faster than clearing it first, because no zeros are filled in.
  /// Throws Error if reading fails.
  void read(std::string& bytes, std::size_t wanted, std::uint64_t offset) const;

 private:
  [[noreturn]] void fail() const;

  std::string path_;
  base::FileDescriptor file_;
};

}  // namespace adarun::monitor
