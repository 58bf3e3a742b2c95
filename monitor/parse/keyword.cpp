// SPDX-License-Identifier: Apache-2.0
#include "monitor/parse/keyword.h"

#include "monitor/base/characters.h"
#include "monitor/parse/byte_lanes.h"

namespace adarun::monitor {
namespace {

// How many bytes after the current position the search reads.
constexpr std::size_t ahead = 2;

constexpr char escape = '\x1b';

// A lane is not zero where "oss", "ime", "oug", "acc", "gra" or an escape character begins; letters in any
// case. A few non-letters also match, because of the OR with 0x20.
Bytes beginnings(const char* at) {
  const Bytes raw = load(at);
  const Bytes first = raw | 0x20;
  const Bytes second = load(at + 1) | 0x20;
  const Bytes third = load(at + 2) | 0x20;
  const Bytes after_o = ((second == 's') & (third == 's')) | ((second == 'u') & (third == 'g'));
  return static_cast<Bytes>(((first == 'o') & after_o) | ((first == 'i') & (second == 'm') & (third == 'e')) |
                            ((first == 'a') & (second == 'c') & (third == 'c')) |
                            ((first == 'g') & (second == 'r') & (third == 'a')) | (raw == escape));
}

bool stands_at(std::string_view text, std::size_t at, std::string_view word) {
  if (text.size() - at < word.size()) return false;
  for (std::size_t i = 0; i < word.size(); ++i) {
    if (lower(text[at + i]) != word[i]) return false;
  }
  return true;
}

// Whether the word before may be "epoch" or "step": it ends in 'h' or 'p'.
bool follows_epoch_or_step(std::string_view text, std::size_t at) {
  while (at > 0 && !is_word(text[at - 1])) --at;
  return at > 0 && (lower(text[at - 1]) == 'h' || lower(text[at - 1]) == 'p');
}

bool begins_word(std::string_view text, std::size_t at) {
  return at == 0 || !is_word(text[at - 1]);
}

bool ends_word(std::string_view text, std::size_t end) {
  return end == text.size() || !is_word(text[end]);
}

// Whether there is a keyword around `at`.
bool tells(std::string_view text, std::size_t at) {
  switch (lower(text[at])) {
    case escape:
      return true;
    case 'o':
      if (at >= 1 && stands_at(text, at - 1, "loss"))
        return begins_word(text, at - 1) && ends_word(text, at + 3);
      return at >= 3 && stands_at(text, at - 3, "throughput");
    case 'i':
      return at >= 1 && stands_at(text, at - 1, "time") && ends_word(text, at + 3) &&
             follows_epoch_or_step(text, at - 1);
    case 'a':
      return (begins_word(text, at) || text[at - 1] == '_') && stands_at(text, at, "acc");
    case 'g':
      return begins_word(text, at) && stands_at(text, at, "gradient");
    default:
      return false;
  }
}

}  // namespace

std::size_t find_keyword(std::string_view text, std::size_t from) {
  constexpr std::size_t stretch = 4 * lanes;
  std::size_t at = from;
  const auto look_at = [&](std::size_t end) {
    for (; at < end; ++at) {
      const char c = lower(text[at]);
      if ((c == 'o' || c == 'i' || c == 'a' || c == 'g' || c == escape) && tells(text, at)) return true;
    }
    return false;
  };
  while (text.size() - at >= stretch + ahead) {
    const char* const here = text.data() + at;
    const Bytes hits = beginnings(here) | beginnings(here + lanes) | beginnings(here + 2 * lanes) |
                       beginnings(here + 3 * lanes);
    if (!any(hits)) {
      at += stretch;
    } else if (look_at(at + stretch)) {
      return at;
    }
  }
  return look_at(text.size()) ? at : std::string_view::npos;
}

}  // namespace adarun::monitor
