// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "base/file_descriptor.h"
#include "launcher/stage/stage_list.h"

namespace adarun::launcher {

/// A file that is being sent; it must not change after the list was read. Functions throw Error that names
/// it.
class StagedFile {
 public:
  explicit StagedFile(const StageSource& source);

  /// Whether all parts have been returned.
  bool ended() const { return offset_ >= size_bytes_ && begun_; }

  /// The next part; an empty file has one empty part. Throws if the file has changed.
  protocol::StagePart next(std::uint32_t item);

 private:
  void require_unchanged() const;

  std::string name_;
  base::FileDescriptor file_;
  std::uint64_t size_bytes_;
  std::int64_t changed_ns_;
  std::uint64_t offset_ = 0;
  bool begun_ = false;
};

}  // namespace adarun::launcher
