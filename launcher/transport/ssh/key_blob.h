// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

// Keys and certificates as SSH transmits them (RFC 4251, section 5): fields, each behind its length.

namespace adarun::launcher {

inline constexpr std::size_t size_bytes = 4;  ///< Of a length.

/// The number in the first `size_bytes` bytes, of which there must be as many.
std::uint32_t number_at(std::string_view bytes);

/// A number as bytes, the highest first.
std::string bytes_of(std::size_t value);

/// Bytes behind their length.
std::string with_length(std::string_view bytes);

/// Removes a field from the front; none if it is incomplete.
std::optional<std::string_view> cut_string(std::string_view& bytes);

std::string to_base64(std::string_view bytes);

/// Empty if the text is no base64.
std::string from_base64(std::string_view text);

/// An OpenSSH certificate.
struct Certificate {
  std::string base64;              ///< Itself.
  std::string key;                 ///< The key that it certifies, as base64.
  bool is_users = false;           ///< And not a host's.
  std::uint64_t valid_before = 0;  ///< Seconds since 1970.
};

/// The certificate in a line of a file, "TYPE BASE64 COMMENT"; none if it holds no such.
std::optional<Certificate> parse_certificate(std::string_view line);

}  // namespace adarun::launcher
