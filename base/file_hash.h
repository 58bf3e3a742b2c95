// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "base/blake2b.h"
#include "base/file_descriptor.h"

namespace adarun::base {

/// The hash of a file, read a slice at a time so that the caller can do other work in between.
class FileHash {
 public:
  /// Opens it for reading. Throws std::system_error that names it.
  explicit FileHash(const std::string& path);

  /// Reads the next few MiB; true once the whole file is read. Throws std::system_error.
  bool advance();

  /// The hash of the whole file, once advance() has returned true: see Blake2b.
  const std::string& hex() const { return hex_; }
  std::uint64_t size_bytes() const { return size_bytes_; }

 private:
  std::string path_;
  FileDescriptor file_;
  Blake2b hash_;
  std::string hex_;
  std::uint64_t size_bytes_ = 0;
};

/// Hashes a whole file in one call. Throws std::system_error that names it.
std::string hash_of(const std::string& path);

}  // namespace adarun::base
