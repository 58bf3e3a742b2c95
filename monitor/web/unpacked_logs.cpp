// SPDX-License-Identifier: Apache-2.0
#include "monitor/web/unpacked_logs.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <string>
#include <utility>

#include "base/system_text.h"
#include "monitor/base/error.h"
#include "monitor/files/file_tail.h"

namespace adarun::monitor::web {
namespace {

namespace fs = std::filesystem;

struct stat status_of(const fs::path& path) {
  struct stat status {};
  if (look_at(path, Links::refused, status) != 0) status = {};
  return status;
}

}  // namespace

UnpackedLog::UnpackedLog(fs::path packed, std::uint64_t most_bytes)
    : packed_(std::move(packed)), status_(status_of(packed_)), file_(std::tmpfile()) {
  FileTail tail(packed_, Links::refused);
  std::string bytes;
  std::uint64_t size = 0;
  while (file_ && tail.read(bytes) != FileTail::Change::none) {
    size += bytes.size();
    if (size > most_bytes)
      throw Error("this log unpacks to more than " + std::to_string(most_bytes >> 20U) +
                  " MiB, which is not shown here: zless shows it");
    if (std::fwrite(bytes.data(), 1, bytes.size(), file_.get()) != bytes.size()) file_.reset();
  }
  if (!file_ || std::fflush(file_.get()) != 0)
    throw Error("this log cannot be unpacked to a temporary file: " + base::system_text(errno));
}

fs::path UnpackedLog::path() const {
  return "/proc/self/fd/" + std::to_string(fileno(file_.get()));
}

bool UnpackedLog::is_of(const fs::path& packed) const {
  if (packed != packed_) return false;
  const struct stat now = status_of(packed);
  return now.st_ino == status_.st_ino && now.st_size == status_.st_size &&
         now.st_mtim.tv_sec == status_.st_mtim.tv_sec && now.st_mtim.tv_nsec == status_.st_mtim.tv_nsec;
}

std::shared_ptr<const UnpackedLog> UnpackedLogs::unpack(const fs::path& packed) {
  const std::lock_guard lock(mutex_);
  const auto known =
      std::find_if(kept_.begin(), kept_.end(), [&packed](const auto& log) { return log->is_of(packed); });
  if (known == kept_.end())
    kept_.push_front(std::make_shared<const UnpackedLog>(packed, most_bytes_));
  else
    kept_.splice(kept_.begin(), kept_, known);
  if (kept_.size() > most_kept) kept_.pop_back();
  return kept_.front();
}

}  // namespace adarun::monitor::web
