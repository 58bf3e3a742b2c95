// SPDX-License-Identifier: Apache-2.0
#include "base/foreign_text.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

namespace adarun::base {
namespace {

using namespace std::string_view_literals;

constexpr std::string_view utf8_mark = "\xEF\xBB\xBF";
constexpr std::string_view little_endian_mark = "\xFF\xFE";
constexpr std::string_view big_endian_mark = "\xFE\xFF";

constexpr FileKind utf16{"UTF-16 text", "iconv -f UTF-16 -t UTF-8 FILE > NEW"};

constexpr FileKind utf32{"UTF-32 text", "iconv -f UTF-32 -t UTF-8 FILE > NEW"};

// The first bytes of a file, and what it is.
struct Magic {
  std::string_view bytes;
  FileKind kind;
};

constexpr std::array magics{
    Magic{"\x1f\x8b"sv, {"a gzip archive", "unpack it: tar -xzf FILE, or gunzip FILE"}},
    Magic{"BZh"sv, {"a bzip2 archive", "unpack it: tar -xjf FILE, or bunzip2 FILE"}},
    Magic{"\xfd"
          "7zXZ\0"sv,
          {"an xz archive", "unpack it: tar -xJf FILE, or unxz FILE"}},
    Magic{"\x28\xb5\x2f\xfd"sv, {"a zstd archive", "unpack it: tar --zstd -xf FILE, or unzstd FILE"}},
    Magic{"PK\x03\x04"sv, {"a zip archive", "unpack it: unzip FILE"}},
    Magic{"\x7f"
          "ELF"sv,
          {"a program or library", ""}},
    Magic{"%PDF-"sv, {"a PDF document", ""}},
    Magic{"\x89PNG"sv, {"an image", ""}},
    Magic{"\xFF\xFE\0\0"sv, utf32},
    Magic{"\0\0\xFE\xFF"sv, utf32},
    Magic{little_endian_mark, utf16},
    Magic{big_endian_mark, utf16},
};

constexpr std::size_t tar_magic_at = 257;
constexpr FileKind tar{"a tar archive", "unpack it: tar -xf FILE"};

// JSON and other text of ASCII letters in UTF-16 without a mark: each second byte is zero.
bool is_unmarked_utf16(std::string_view bytes) {
  constexpr std::size_t looked_at = 16;
  if (bytes.size() < looked_at) return false;
  std::array<std::size_t, 2> zeros{};
  for (std::size_t i = 0; i < looked_at; ++i)
    if (bytes[i] == '\0') ++zeros[i % 2];
  return (zeros[0] == looked_at / 2 && zeros[1] == 0) || (zeros[1] == looked_at / 2 && zeros[0] == 0);
}

constexpr std::size_t most_text = std::size_t{64} << 10U;

std::string_view without_blanks_before(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
  return text;
}

// Whether a line begins with `word`.
bool has_line(std::string_view text, std::string_view word) {
  for (std::size_t at = 0; at < text.size();) {
    if (text.substr(at).starts_with(word)) return true;
    const std::size_t end = text.find('\n', at);
    if (end == std::string_view::npos) return false;
    at = end + 1;
  }
  return false;
}

// Whether `text` has the pattern at its beginning, in which 0 stands for any digit and A for a capital.
bool begins_like(std::string_view text, std::string_view pattern) {
  if (text.size() < pattern.size()) return false;
  return std::equal(pattern.begin(), pattern.end(), text.begin(), [](char wanted, char found) {
    if (wanted == '0') return found >= '0' && found <= '9';
    if (wanted == 'A') return found >= 'A' && found <= 'Z';
    return wanted == found;
  });
}

// Lines of loggers begin with the time: 2026-11-30 01:02:03, [2026-11-30, I1130 01:02:03 (torchrun's).
bool is_log(std::string_view text) {
  constexpr std::array beginnings{"0000-00-00 00:00"sv,  "0000-00-00T00:00"sv,  "0000/00/00 00:00"sv,
                                  "[0000-00-00 00:00"sv, "[0000-00-00T00:00"sv, "A0000 00:00:00"sv};
  return std::ranges::any_of(beginnings,
                             [text](std::string_view pattern) { return begins_like(text, pattern); });
}

// An address and a name behind it. Lines of a known_hosts have the kind of a key there.
bool is_hosts_file(std::string_view text) {
  while (text.starts_with('#'))
    text = without_blanks_before(text.substr(std::min(text.find('\n'), text.size())));
  const std::string_view line = text.substr(0, text.find('\n'));
  const std::string_view address = line.substr(0, line.find_first_of(" \t"));
  const std::string_view name = without_blanks_before(line.substr(address.size()));
  const bool is_ipv4 = std::ranges::count(address, '.') == 3 &&
                       address.find_first_not_of("0123456789.") == std::string_view::npos;
  const bool is_ipv6 = address.find("::") != std::string_view::npos &&
                       address.find_first_not_of("0123456789abcdef:") == std::string_view::npos;
  const bool is_name = !name.empty() && ((name.front() >= 'a' && name.front() <= 'z') ||
                                         (name.front() >= 'A' && name.front() <= 'Z'));
  return (is_ipv4 || is_ipv6) && is_name && line.find('=') == std::string_view::npos &&
         !name.starts_with("ssh-") && !name.starts_with("ecdsa-");
}

constexpr char32_t replacement_code = 0xFFFD;

std::string decoded_utf16(std::string_view bytes, bool is_little_endian) {
  const auto unit = [&](std::size_t at) -> char32_t {
    const auto low = static_cast<unsigned char>(bytes[at + (is_little_endian ? 0 : 1)]);
    const auto high = static_cast<unsigned char>(bytes[at + (is_little_endian ? 1 : 0)]);
    return static_cast<char32_t>(high) << 8U | low;
  };
  std::string text;
  text.reserve(bytes.size() / 2);
  for (std::size_t at = 0; at + 1 < bytes.size(); at += 2) {
    char32_t code = unit(at);
    const bool is_first_half = code >= 0xD800 && code < 0xDC00;
    const char32_t second = is_first_half && at + 3 < bytes.size() ? unit(at + 2) : 0;
    if (second >= 0xDC00 && second < 0xE000) {
      code = 0x10000 + ((code & 0x3FFU) << 10U) + (second & 0x3FFU);
      at += 2;
    }
    append_utf8(text, code >= 0xD800 && code < 0xE000 ? replacement_code : code);
  }
  if (bytes.size() % 2 != 0) append_utf8(text, replacement_code);
  return text;
}

}  // namespace

void append_utf8(std::string& text, char32_t code) {
  const auto byte = [&text](char32_t value) { text += static_cast<char>(value); };
  if (code < 0x80) return byte(code);
  if (code < 0x800) {
    byte(0xC0U | code >> 6U);
  } else if (code < 0x10000) {
    byte(0xE0U | code >> 12U);
    byte(0x80U | (code >> 6U & 0x3FU));
  } else {
    byte(0xF0U | code >> 18U);
    byte(0x80U | (code >> 12U & 0x3FU));
    byte(0x80U | (code >> 6U & 0x3FU));
  }
  byte(0x80U | (code & 0x3FU));
}

std::optional<FileKind> binary_kind(std::string_view bytes) {
  for (const Magic& magic : magics)
    if (bytes.starts_with(magic.bytes)) return magic.kind;
  if (bytes.size() > tar_magic_at && bytes.substr(tar_magic_at).starts_with("ustar")) return tar;
  if (is_unmarked_utf16(bytes)) return utf16;
  return std::nullopt;
}

std::optional<FileKind> text_kind(std::string_view text) {
  text = without_blanks_before(text.substr(0, most_text));
  if (has_line(text, "apiVersion:") && has_line(text, "kind:")) {
    if (has_line(text, "kind: ConfigMap"))
      return FileKind{"a ConfigMap of Kubernetes",
                      "kubectl get configmap NAME -o jsonpath='{.data.hccl\\.json}' > hccl.json"};
    if (has_line(text, "current-context:") || has_line(text, "clusters:"))
      return FileKind{"a kubeconfig", ""};
    return FileKind{"an object of Kubernetes", ""};
  }
  if (has_line(text, "- hosts:")) return FileKind{"a playbook of Ansible", ""};
  if (has_line(text, "Host ") || has_line(text, "host "))
    return FileKind{"an ssh_config", "its hosts by name: --ssh-config FILE --hosts NAME,NAME"};
  if (text.starts_with('<')) return FileKind{"an HTML or XML page", ""};
  if (has_line(text, "address_0=") || has_line(text, "address_1="))
    return FileKind{"hccn.conf", "the table of this server: adarun ranktable gen --hccn-conf FILE"};
  if (has_line(text, "NodeName=") || has_line(text, "SlurmctldHost="))
    return FileKind{"a slurm.conf", "its nodes by name: --hosts node[1-4]:8"};
  if (is_hosts_file(text))
    return FileKind{"a file of addresses as /etc/hosts", "its hosts by name: --hosts NAME,NAME"};
  if (is_log(text)) return FileKind{"a log", ""};
  return std::nullopt;
}

std::string in_utf8(std::string bytes) {
  if (bytes.starts_with(utf8_mark)) return bytes.erase(0, utf8_mark.size());
  if (bytes.starts_with("\xFF\xFE\0\0"sv)) return bytes;  // UTF-32
  const bool is_little_endian = bytes.starts_with(little_endian_mark);
  if (!is_little_endian && !bytes.starts_with(big_endian_mark)) return bytes;
  return decoded_utf16(std::string_view(bytes).substr(little_endian_mark.size()), is_little_endian);
}

}  // namespace adarun::base
