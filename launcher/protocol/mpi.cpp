// SPDX-License-Identifier: Apache-2.0
#include "launcher/protocol/mpi.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <system_error>

namespace adarun::launcher::protocol {
namespace {

constexpr std::size_t most_bytes = 300;

bool is_of_a_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '-' ||
         c == '_' || c == '%';
}

}  // namespace

bool is_endpoint(std::string_view text) {
  const std::size_t colon = text.rfind(':');
  if (text.size() > most_bytes || colon == std::string_view::npos) return false;
  std::string_view host = text.substr(0, colon);
  const bool has_brackets = host.starts_with('[') && host.ends_with(']');
  if (has_brackets) host = host.substr(1, host.size() - 2);
  if (host.empty() || !std::all_of(host.begin(), host.end(), [has_brackets](char c) {
        return is_of_a_name(c) || (has_brackets && c == ':');
      }))
    return false;
  std::uint16_t port = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data() + colon + 1, end, port);
  return error == std::errc() && rest == end && port != 0;
}

}  // namespace adarun::launcher::protocol
