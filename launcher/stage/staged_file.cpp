// SPDX-License-Identifier: Apache-2.0
#include "launcher/stage/staged_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/system_text.h"
#include "launcher/base/error.h"

namespace adarun::launcher {
namespace {

constexpr std::uint64_t part_bytes = 128U << 10U;

}  // namespace

StagedFile::StagedFile(const StageSource& source)
    : name_(source.file),
      file_(::open(name_.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY)),
      size_bytes_(source.item.size),
      changed_ns_(source.changed_ns) {
  if (!file_) throw Error(name_ + ": " + base::system_text(errno));
}

protocol::StagePart StagedFile::next(std::uint32_t item) {
  begun_ = true;
  protocol::StagePart part{item, offset_, std::string(std::min(part_bytes, size_bytes_ - offset_), '\0')};
  std::size_t filled = 0;
  while (filled < part.bytes.size()) {
    const ssize_t size = ::pread(file_.get(), part.bytes.data() + filled, part.bytes.size() - filled,
                                 static_cast<off_t>(offset_ + filled));
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) throw Error(name_ + ": " + base::system_text(errno));
    if (size == 0) break;
    filled += static_cast<std::size_t>(size);
  }
  offset_ += filled;
  if (filled < part.bytes.size() || offset_ == size_bytes_) require_unchanged();
  return part;
}

void StagedFile::require_unchanged() const {
  struct stat facts {};
  const bool known = ::fstat(file_.get(), &facts) == 0;
  const bool same = known && static_cast<std::uint64_t>(facts.st_size) == size_bytes_ &&
                    facts.st_mtim.tv_sec * 1'000'000'000 + facts.st_mtim.tv_nsec == changed_ns_;
  if (!same) throw Error(name_ + ": was written to while it was being staged");
}

}  // namespace adarun::launcher
