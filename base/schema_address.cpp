// SPDX-License-Identifier: Apache-2.0
#include "base/schema_address.h"

#include <string_view>
#include <system_error>

namespace adarun::base {
namespace {

/// A path as part of an address (RFC 3986): other bytes than plain ones become %XX.
std::string percent_encoded(const std::string& path) {
  constexpr std::string_view plain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/";
  constexpr std::string_view digits = "0123456789ABCDEF";
  std::string text;
  for (const char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    if (plain.find(c) != std::string_view::npos)
      text += c;
    else
      (text += '%') += {digits[byte >> 4U], digits[byte & 15U]};
  }
  return text;
}

}  // namespace

std::string schema_address(const std::string& name, const std::filesystem::path& program) {
  const std::filesystem::path below_prefix = "share/doc/adarun/docs/" + name + ".schema.json";
  std::error_code error;
  const auto prefix = std::filesystem::canonical(program, error).parent_path().parent_path();
  const bool is_installed = !error && std::filesystem::exists(prefix / below_prefix, error);
  return "file://" + percent_encoded((is_installed ? prefix : "/usr") / below_prefix);
}

}  // namespace adarun::base
