// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace adarun::monitor {

/// Reads the time that programs write into a line of their log: "2026-11-21 01:02:03", with 'T' or (as
/// MindSpore has it) '-' between, dates with '/' too, and as they are there: fractions of a second
/// (".123456", ",123", ".123.456") and a zone ("Z", "+01:00"); without one the time is local. It is looked
/// for in the first 160 bytes. Keeps the last date and minute it has seen, since a line's are mostly those of
/// the line before. Not thread-safe.
class WrittenTime {
 public:
  /// In milliseconds since the Unix epoch; nothing where the line has none.
  std::optional<std::int64_t> in(std::string_view line);

 private:
  std::int64_t minute_ms(std::string_view date_and_minute);

  std::string minute_;  ///< "2026-11-21 01:02", as it stood there,
  std::int64_t minute_ms_ = 0;
};

}  // namespace adarun::monitor
