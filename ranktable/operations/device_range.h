// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace adarun::ranktable {

/// Logical device ids from `first` to `end` - 1.
struct DeviceRange {
  int first = 0;
  int end = 8;

  int count() const { return end - first; }
  bool operator==(const DeviceRange&) const = default;
};

/// The maximum number of devices of a server in adarun.
inline constexpr int max_server_devices = 1024;

struct ParsedRange {
  DeviceRange range;
  std::optional<std::string> warning;
};

/// Parses "[0,8)"; spaces are allowed. "[0,8]" is also taken as half-open, with a warning, because a
/// published guide writes it that way. Throws Error on anything else, an empty range, or ids of
/// `max_server_devices` and above.
ParsedRange parse_device_range(std::string_view text);

/// Parses "0,2,4-7"; spaces are allowed between entries. Throws Error, with a message that begins with
/// `name`, on an empty list or entry, an entry that is neither a decimal number nor an ascending range, a
/// repeated id, or too many ids.
std::vector<int> parse_device_list(std::string_view text, const std::string& name);

/// Same, without ranges: entry i is the physical id of logical id i.
std::vector<int> parse_visible_devices(std::string_view text);

/// "[0,8)".
std::string to_string(const DeviceRange& range);

}  // namespace adarun::ranktable
