// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/file_descriptor.h"

namespace adarun::base {

/// BLAKE2b with a 32-byte result (RFC 7693), as `b2sum -l 256` prints it: a cryptographic hash, three times
/// as fast as SHA-256 on processors without SHA instructions.
class Blake2b {
 public:
  void update(std::string_view bytes);

  /// The hash of all bytes so far, as 64 hexadecimal digits. Call it once; update() must not be called
  /// afterwards.
  std::string hex();

 private:
  static constexpr std::size_t block_bytes = 128;
  enum class Block { inner, last };

  void compress(const char* block, Block kind);

  std::array<std::uint64_t, 8> state_ = initial_state();
  std::array<char, block_bytes> buffer_{};
  std::size_t buffered_ = 0;
  std::uint64_t counted_ = 0;

  static std::array<std::uint64_t, 8> initial_state();
};

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
