// SPDX-License-Identifier: Apache-2.0
#include "launcher/protocol/pack.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <vector>

#include "launcher/protocol/archive.h"

namespace adarun::launcher::protocol {
namespace {

constexpr std::size_t least_match = 6;  // A reference to a shorter one takes about as many bytes.
constexpr std::size_t word_bytes = sizeof(std::uint64_t);
constexpr unsigned table_bits = 12;  // The table fits in the L1 cache.
constexpr unsigned miss_bits = 6;    // After 2^6 positions without a match, positions are skipped.

void put_number(std::string& out, std::size_t number) {
  for (; number >= 0x80U; number >>= 7U) out.push_back(static_cast<char>(number | 0x80U));
  out.push_back(static_cast<char>(number));
}

std::uint64_t word_at(std::string_view text, std::size_t at) {
  std::uint64_t word = 0;
  std::memcpy(&word, text.data() + at, word_bytes);
  return word;
}

// Hash of the `least_match` bytes at `at`.
std::size_t hash_at(std::string_view text, std::size_t at) {
  const std::uint64_t bytes = word_at(text, at) << (8 * (word_bytes - least_match));
  return static_cast<std::size_t>((bytes * 0x9E3779B97F4A7C15U) >> (64U - table_bits));
}

std::size_t match_length(std::string_view text, std::size_t earlier, std::size_t at) {
  const std::size_t begin = at;
  while (at + word_bytes <= text.size()) {
    const std::uint64_t differ = word_at(text, at) ^ word_at(text, earlier);
    if (differ != 0) return at - begin + static_cast<std::size_t>(std::countr_zero(differ)) / 8;
    at += word_bytes;
    earlier += word_bytes;
  }
  for (; at < text.size() && text[at] == text[earlier]; ++earlier) ++at;
  return at - begin;
}

// Reads packed bytes in order.
class Source {
 public:
  explicit Source(std::string_view bytes) : rest_(bytes) {}

  std::size_t number() {
    std::size_t value = 0;
    for (unsigned shift = 0; shift < 35; shift += 7) {
      const auto byte = static_cast<unsigned char>(bytes(1)[0]);
      value |= static_cast<std::size_t>(byte & 0x7FU) << shift;
      if (byte < 0x80U) return value;
    }
    throw Error("packed bytes: a number that is too long");
  }

  std::string_view bytes(std::size_t size) {
    if (size > rest_.size()) throw Error("packed bytes end early");
    const std::string_view taken = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return taken;
  }

  bool empty() const { return rest_.empty(); }

 private:
  std::string_view rest_;
};

// A match may overlap its own output: "abab..." is a match two bytes back.
void repeat(char* to, std::size_t length, std::size_t back) {
  const char* from = to - back;
  while (length > 0) {
    const std::size_t size = std::min(length, static_cast<std::size_t>(to - from));
    std::memcpy(to, from, size);
    to += size;
    length -= size;
  }
}

}  // namespace

std::string pack(std::string_view text) {
  std::string out;
  put_number(out, text.size());
  std::vector<std::uint32_t> last_at(std::size_t{1} << table_bits);  // By hash: last position + 1; 0: none.
  std::size_t told = 0;
  std::size_t looked = std::size_t{1} << miss_bits;
  for (std::size_t at = 0; at + word_bytes <= text.size();) {
    std::uint32_t& place = last_at[hash_at(text, at)];
    const std::size_t length = place == 0 ? 0 : match_length(text, place - 1, at);
    const std::size_t back = at + 1 - place;
    place = static_cast<std::uint32_t>(at + 1);
    if (length < least_match) {
      at += looked++ >> miss_bits;
      continue;
    }
    put_number(out, at - told);
    out += text.substr(told, at - told);
    put_number(out, length);
    put_number(out, back);
    told = at += length;
    looked = std::size_t{1} << miss_bits;
  }
  if (told == text.size()) return out;
  put_number(out, text.size() - told);
  return out.append(text.substr(told));
}

std::string unpack(std::string_view packed, std::size_t max_bytes) {
  Source source(packed);
  const std::size_t size = source.number();
  if (size > max_bytes)
    throw Error("packed bytes: a text of " + std::to_string(size) + " bytes, at most " +
                std::to_string(max_bytes));
  std::string text(size, '\0');
  for (std::size_t at = 0; at < size;) {
    const std::string_view plain = source.bytes(std::min(source.number(), size - at));
    std::ranges::copy(plain, text.begin() + static_cast<std::ptrdiff_t>(at));
    at += plain.size();
    if (at == size) break;
    const std::size_t length = source.number();
    const std::size_t back = source.number();
    if (length == 0 || length > size - at || back == 0 || back > at)
      throw Error("packed bytes: a stretch that is not there");
    repeat(text.data() + at, length, back);
    at += length;
  }
  if (!source.empty()) throw Error("packed bytes continue behind their end");
  return text;
}

}  // namespace adarun::launcher::protocol
