// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "base/file_descriptor.h"

namespace adarun::launcher::agent {

/// A file on its way: written under another name beside its place, which it takes when it is whole. Until
/// then it is removed with this object. Throws agent::Error that names the place.
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

  /// Puts it in its place, with this mode.
  void finish(mode_t mode);

 private:
  std::string place_;
  std::string name_;  ///< Until it has its place.
  base::FileDescriptor file_;
  std::uint64_t size_bytes_ = 0;
};

/// A name beside `place` that nobody else uses.
std::string name_beside(const std::string& place);

/// Throws agent::Error: `place` cannot be staged, as errno says.
[[noreturn]] void fail_to_stage(const std::string& place);

}  // namespace adarun::launcher::agent
