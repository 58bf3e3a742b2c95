// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace adarun::monitor {

/// Reads the time that programs write into a line of their log: "2026-11-21 01:02:03", with ' ', 'T' or (in
/// MindSpore) '-' before the time, and '-' or '/' in the date. A fraction of a second (".123456", ",123",
/// ".123.456") and a zone ("Z", "+01:00") may follow; without a zone the time is local. Looks at the first
/// 160 bytes. Caches the last date and minute, because most lines have those of the line before. Not
/// thread-safe.
class WrittenTime {
 public:
  /// In milliseconds since the Unix epoch; nothing if the line has no time.
  std::optional<std::int64_t> in(std::string_view line);

 private:
  std::int64_t minute_ms(std::string_view date_and_minute);

  std::string minute_;  ///< As written: "2026-11-21 01:02".
  std::int64_t minute_ms_ = 0;
};

}  // namespace adarun::monitor
