// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

namespace adarun::base {

/// A time for messages: "200 ms", "10 s", "2.3 s" (cut to tenths).
std::string describe(std::chrono::milliseconds time);

/// A time that may be long: "200 ms", "2.3 s", "5 min 3 s", "2 h 5 min", "3 d 4 h" (cut, not rounded).
std::string elapsed(std::chrono::milliseconds time);

/// A size for messages: "900 bytes", "64.5 kB", "1.2 GB" (in steps of 1000, cut to tenths).
std::string describe_bytes(std::uint64_t size);

/// The same of a size that was computed: one below 0 counts as 0, one above 1000 EB as that.
std::string describe_bytes(double size);

/// What is needed and the most there may be, which is less: in bytes where they would read alike.
std::pair<std::string, std::string> describe_too_many_bytes(double needed, double most);

/// "4,093"
std::string grouped(std::size_t number);

/// "1 server", "4,093 servers"
std::string counted(std::size_t count, const std::string& thing);

}  // namespace adarun::base
