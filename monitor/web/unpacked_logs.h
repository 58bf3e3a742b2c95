// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/stat.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <list>
#include <memory>
#include <mutex>

#include "base/c_file.h"

namespace adarun::monitor::web {

/// A compressed log (".gz") whose path has no symbolic link, unpacked to an unnamed temporary file.
class UnpackedLog {
 public:
  /// Throws Error if it cannot be read or unpacked, or is larger than `most_bytes` when unpacked.
  UnpackedLog(std::filesystem::path packed, std::uint64_t most_bytes);

  /// The path of its content; valid while this object lives.
  std::filesystem::path path() const;

  /// Whether `packed` is the same file and has not changed since.
  bool is_of(const std::filesystem::path& packed) const;

 private:
  std::filesystem::path packed_;
  struct stat status_;
  base::CFile file_;
};

/// Unpacked logs from which pages of lines are read. Each log is unpacked once, and again if it has changed;
/// the last few are kept. Thread-safe: a call waits while another one unpacks.
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
  std::list<std::shared_ptr<const UnpackedLog>> kept_;  ///< Most recently used first.
};

}  // namespace adarun::monitor::web
