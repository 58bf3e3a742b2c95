// SPDX-License-Identifier: Apache-2.0
#include "launcher/transport/ssh/key_blob.h"

#include <algorithm>
#include <array>

namespace adarun::launcher {
namespace {

constexpr std::string_view base64_digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

// Types of certificate, those of the keys that they certify, and how many fields such a key has.
struct CertificateType {
  std::string_view name;
  std::string_view key_type;
  int key_fields;
};
constexpr std::array<CertificateType, 7> certificate_types{{
    {"ssh-ed25519-cert-v01@openssh.com", "ssh-ed25519", 1},
    {"ssh-rsa-cert-v01@openssh.com", "ssh-rsa", 2},
    {"ecdsa-sha2-nistp256-cert-v01@openssh.com", "ecdsa-sha2-nistp256", 2},
    {"ecdsa-sha2-nistp384-cert-v01@openssh.com", "ecdsa-sha2-nistp384", 2},
    {"ecdsa-sha2-nistp521-cert-v01@openssh.com", "ecdsa-sha2-nistp521", 2},
    {"sk-ssh-ed25519-cert-v01@openssh.com", "sk-ssh-ed25519@openssh.com", 2},
    {"sk-ecdsa-sha2-nistp256-cert-v01@openssh.com", "sk-ecdsa-sha2-nistp256@openssh.com", 3},
}};

// The highest byte comes first.
std::uint64_t number_in(std::string_view bytes) {
  std::uint64_t value = 0;
  for (const char byte : bytes) value = value << 8U | static_cast<unsigned char>(byte);
  return value;
}

std::optional<std::uint64_t> cut_number(std::string_view& bytes, std::size_t size) {
  if (bytes.size() < size) return std::nullopt;
  const std::uint64_t value = number_in(bytes.substr(0, size));
  bytes.remove_prefix(size);
  return value;
}

}  // namespace

std::uint32_t number_at(std::string_view bytes) {
  return static_cast<std::uint32_t>(number_in(bytes.substr(0, size_bytes)));
}

std::string bytes_of(std::size_t value) {
  std::string bytes;
  for (int shift = 24; shift >= 0; shift -= 8)
    bytes += static_cast<char>(value >> static_cast<unsigned>(shift));
  return bytes;
}

std::string with_length(std::string_view bytes) {
  return bytes_of(bytes.size()) + std::string(bytes);
}

std::optional<std::string_view> cut_string(std::string_view& bytes) {
  if (bytes.size() < size_bytes || bytes.size() - size_bytes < number_at(bytes)) return std::nullopt;
  const std::string_view text = bytes.substr(size_bytes, number_at(bytes));
  bytes.remove_prefix(size_bytes + text.size());
  return text;
}

std::string to_base64(std::string_view bytes) {
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t group = 0;
    for (std::size_t k = i; k < i + 3; ++k)
      group = group << 8U | (k < bytes.size() ? static_cast<unsigned char>(bytes[k]) : 0U);
    for (std::size_t k = 0; k < 4; ++k)
      text += i + k > bytes.size() ? '=' : base64_digits[group >> (18U - 6U * k) & 63U];
  }
  return text;
}

std::string from_base64(std::string_view text) {
  std::string bytes;
  std::uint32_t group = 0;
  unsigned bits = 0;
  while (!text.empty() && text.back() == '=') text.remove_suffix(1);
  for (const char each : text) {
    const std::size_t digit = base64_digits.find(each);
    if (digit == std::string_view::npos) return "";
    group = group << 6U | static_cast<std::uint32_t>(digit);
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    bytes += static_cast<char>(group >> bits & 255U);
  }
  return bytes;
}

// The fields (OpenSSH, PROTOCOL.certkeys): type, nonce, those of the key, serial number, whose, id,
// principals, valid after, valid before, ...
std::optional<Certificate> parse_certificate(std::string_view line) {
  line.remove_prefix(std::min(line.size(), line.find(' ') + 1));
  const std::string blob = from_base64(line.substr(0, line.find_first_of(" \t\r\n")));
  std::string_view rest = blob;
  const auto type = cut_string(rest);
  const auto* const found =
      std::find_if(certificate_types.begin(), certificate_types.end(),
                   [&type](const CertificateType& each) { return type && each.name == *type; });
  if (found == certificate_types.end() || !cut_string(rest)) return std::nullopt;
  std::string key = with_length(found->key_type);
  for (int i = 0; i < found->key_fields; ++i) {
    const auto field = cut_string(rest);
    if (!field) return std::nullopt;
    key += with_length(*field);
  }
  constexpr std::size_t time_bytes = 8;
  const bool has_serial = cut_number(rest, time_bytes).has_value();
  const auto whose = cut_number(rest, size_bytes);
  const bool has_names = cut_string(rest) && cut_string(rest);
  const bool has_start = cut_number(rest, time_bytes).has_value();
  const auto end = cut_number(rest, time_bytes);
  if (!has_serial || !whose || !has_names || !has_start || !end) return std::nullopt;
  return Certificate{to_base64(blob), to_base64(key), *whose == 1, *end};
}

}  // namespace adarun::launcher
