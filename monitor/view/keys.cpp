// SPDX-License-Identifier: Apache-2.0
#include "monitor/view/keys.h"

#include <optional>

namespace adarun::monitor {
namespace {

constexpr char escape = '\x1b';
constexpr std::size_t longest_sequence = 32;

// Whether `begun`, which begins with an escape character, is a complete sequence: "ESC [ A", "ESC O A",
// "ESC [ 1 ~".
bool is_whole(const std::string& begun) {
  if (begun.size() < 2) return false;
  if (begun[1] != '[' && begun[1] != 'O') return true;
  return begun.size() > 2 && begun.back() >= '@' && begun.back() <= '~';
}

std::optional<Key> key_of(std::string_view sequence) {
  switch (sequence.back()) {
    case 'A':
      return Key{Key::Kind::up};
    case 'B':
      return Key{Key::Kind::down};
    case 'C':
      return Key{Key::Kind::right};
    case 'D':
      return Key{Key::Kind::left};
    case 'H':
      return Key{Key::Kind::home};
    case 'F':
      return Key{Key::Kind::end};
    case '~':
      if (sequence == "\x1b[1~" || sequence == "\x1b[7~") return Key{Key::Kind::home};
      if (sequence == "\x1b[4~" || sequence == "\x1b[8~") return Key{Key::Kind::end};
      return std::nullopt;
    default:
      return std::nullopt;
  }
}

std::optional<Key> key_of(char c) {
  if (c == '\r' || c == '\n') return Key{Key::Kind::enter};
  if (c >= ' ' && c <= '~') return Key{Key::Kind::character, c};
  return std::nullopt;
}

}  // namespace

std::vector<Key> KeyReader::feed(std::string_view bytes) {
  std::vector<Key> keys;
  for (const char c : bytes) {
    std::optional<Key> key;
    if (begun_.empty() && c != escape) {
      key = key_of(c);
    } else if (begun_ == "\x1b" && c == escape) {
      key = Key{Key::Kind::escape};
    } else {
      begun_ += c;
      if (!is_whole(begun_) && begun_.size() < longest_sequence) continue;
      key = begun_.size() > 2 ? key_of(begun_) : std::nullopt;
      begun_.clear();
    }
    if (key) keys.push_back(*key);
  }
  return keys;
}

std::vector<Key> KeyReader::finish() {
  const bool alone = begun_ == "\x1b";
  begun_.clear();
  return alone ? std::vector<Key>{{Key::Kind::escape}} : std::vector<Key>{};
}

}  // namespace adarun::monitor
