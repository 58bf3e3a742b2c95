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
  /// Throws Error where it cannot be opened. Does not wait for the writer of a pipe.
  explicit OpenFile(const std::filesystem::path& path);

  /// Its size now. Throws Error on what is no regular file.
  std::uint64_t size() const;

  /// Replaces `bytes` by at most `wanted` bytes from `offset` on; fewer only at the end of the file. Room
  /// that `bytes` has is not filled with zeros first, as it would be if it were cleared. Throws Error.
  void read(std::string& bytes, std::size_t wanted, std::uint64_t offset) const;

 private:
  [[noreturn]] void fail() const;

  std::string path_;
  base::FileDescriptor file_;
};

}  // namespace adarun::monitor
