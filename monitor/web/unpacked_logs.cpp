// SPDX-License-Identifier: Apache-2.0
#include "monitor/web/unpacked_logs.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <string>
#include <system_error>
#include <utility>

#include "base/system_text.h"
#include "monitor/base/error.h"
#include "monitor/files/file_tail.h"

namespace adarun::monitor::web {
namespace {

namespace fs = std::filesystem;

fs::file_time_type time_of(const fs::path& path) {
  std::error_code gone;
  return fs::last_write_time(path, gone);
}

std::uintmax_t size_of(const fs::path& path) {
  std::error_code gone;
  return fs::file_size(path, gone);
}

}  // namespace

UnpackedLog::UnpackedLog(fs::path packed, std::uint64_t most_bytes)
    : packed_(std::move(packed)),
      packed_bytes_(size_of(packed_)),
      packed_at_(time_of(packed_)),
      file_(std::tmpfile()) {
  FileTail tail(packed_);
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
  return packed == packed_ && size_of(packed) == packed_bytes_ && time_of(packed) == packed_at_;
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
