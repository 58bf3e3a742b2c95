// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <list>
#include <memory>
#include <mutex>

#include "base/c_file.h"

namespace adarun::monitor::web {

/// A packed log (".gz"), unpacked to a nameless file.
class UnpackedLog {
 public:
  /// Throws Error where it cannot be read or unpacked, or unpacks to more than `most_bytes`.
  UnpackedLog(std::filesystem::path packed, std::uint64_t most_bytes);

  /// Of its content, while this object lives.
  std::filesystem::path path() const;

  /// Whether this is what `packed` still holds.
  bool is_of(const std::filesystem::path& packed) const;

 private:
  std::filesystem::path packed_;
  std::uintmax_t packed_bytes_;
  std::filesystem::file_time_type packed_at_;
  base::CFile file_;
};

/// Packed logs that pages of lines are read from: each is unpacked once, and again when it has changed; the
/// last few are kept. Thread-safe: who asks while one is unpacked waits.
class UnpackedLogs {
 public:
  static constexpr std::uint64_t default_most_bytes = std::uint64_t{1} << 30U;
  static constexpr std::size_t most_kept = 2;

  explicit UnpackedLogs(std::uint64_t most_bytes = default_most_bytes) : most_bytes_(most_bytes) {}

  /// Throws as UnpackedLog does.
  std::shared_ptr<const UnpackedLog> unpack(const std::filesystem::path& packed);

 private:
  std::uint64_t most_bytes_;
  std::mutex mutex_;
  std::list<std::shared_ptr<const UnpackedLog>> kept_;  ///< The last one asked for first.
};

}  // namespace adarun::monitor::web
