// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace adarun::ranktable {

/// Logical device ids from `first` up to, not including, `end`.
struct DeviceRange {
  int first = 0;
  int end = 8;

  int count() const { return end - first; }
  bool operator==(const DeviceRange&) const = default;
};

/// The most devices that one server can have here.
inline constexpr int max_server_devices = 1024;

struct ParsedRange {
  DeviceRange range;
  std::optional<std::string> warning;
};

/// Reads "[0,8)", blanks allowed. "[0,8]" is taken as half-open too, with a warning: a published guide writes
/// it so. Throws Error on anything else, an empty range, or ids of `max_server_devices` and beyond.
ParsedRange parse_device_range(std::string_view text);

/// Reads "0,2,4-7", blanks allowed between entries. Throws Error, its message opening with `name`, on an
/// empty list or entry, what is no decimal number or rising range, an id that comes twice, or too many.
std::vector<int> parse_device_list(std::string_view text, const std::string& name);

/// Likewise, without ranges: entry i is the physical id of logical id i.
std::vector<int> parse_visible_devices(std::string_view text);

/// "[0,8)".
std::string to_string(const DeviceRange& range);

}  // namespace adarun::ranktable
