// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "base/file_descriptor.h"

namespace adarun::launcher::agent {

/// A file being received: it is written under a temporary name in the same folder and renamed to `place` when
/// it is complete. If it is never finished, the destructor removes it. Throws agent::Error that names
/// `place`.
class PartialFile {
 public:
  explicit PartialFile(std::string place);
  ~PartialFile();
  PartialFile(PartialFile&& other) noexcept;
  PartialFile& operator=(PartialFile&&) = delete;
  PartialFile(const PartialFile&) = delete;
  PartialFile& operator=(const PartialFile&) = delete;

  std::uint64_t size_bytes() const { return size_bytes_; }
  void write(std::string_view bytes);

  /// Sets the mode and renames the file to its place.
  void finish(mode_t mode);

 private:
  std::string place_;
  std::string name_;  ///< The temporary name; empty after finish().
  base::FileDescriptor file_;
  std::uint64_t size_bytes_ = 0;
};

/// A random, unused name in the folder of `place`.
std::string name_beside(const std::string& place);

/// Throws agent::Error: `place` cannot be staged, for the reason in errno.
[[noreturn]] void fail_to_stage(const std::string& place);

}  // namespace adarun::launcher::agent
