// SPDX-License-Identifier: Apache-2.0
#include "monitor/parse/keyword.h"

#include "monitor/base/text.h"

namespace adarun::monitor {
namespace {

// How many bytes after the current position the search reads.
constexpr std::size_t ahead = 2;

constexpr char escape = '\x1b';

// A lane is not zero where "oss", "oug", "och", "ime", "acc", "avg", "gra" or an escape character begins;
// letters in any case. A few non-letters also match, because of the OR with 0x20.
Bytes beginnings(const char* at) {
  const Bytes raw = load(at);
  const Bytes first = raw | 0x20;
  const Bytes second = load(at + 1) | 0x20;
  const Bytes third = load(at + 2) | 0x20;
  const Bytes after_o = ((second == 's') & (third == 's')) | ((second == 'u') & (third == 'g')) |
                        ((second == 'c') & (third == 'h'));
  const Bytes after_a = ((second == 'c') & (third == 'c')) | ((second == 'v') & (third == 'g'));
  return static_cast<Bytes>(((first == 'o') & after_o) | ((first == 'a') & after_a) |
                            ((first == 'i') & (second == 'm') & (third == 'e')) |
                            ((first == 'g') & (second == 'r') & (third == 'a')) | (raw == escape));
}

// A lane is not zero where "va" or "te" begins.
Bytes pairs(const char* at) {
  const Bytes first = load(at) | 0x20;
  const Bytes second = load(at + 1) | 0x20;
  return static_cast<Bytes>(((first == 'v') & (second == 'a')) | ((first == 't') & (second == 'e')));
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

// Whether the "loss" in [begin, end) may be a word, the end of "train_loss", "val_loss" and so on, or of
// OLMo's "CrossEntropyLoss=".
bool is_loss(std::string_view text, std::size_t begin, std::size_t end) {
  if (begin > 0 && lower(text[begin - 1]) == 'y') return stands_at(text, end, "=");
  const bool joined = begin >= 2 && text[begin - 1] == '_' && is_letter(text[begin - 2]);
  return (joined || begins_word(text, begin)) &&
         (ends_word(text, end) || stands_at(text, end, "_step") || stands_at(text, end, "_epoch") ||
          (stands_at(text, end, "_d") && ends_word(text, end + 2)));
}

// Whether the line has no other word than the one in [begin, end), and a number behind it.
bool is_only_word(std::string_view text, std::size_t begin, std::size_t end) {
  while (begin > 0 && !ends_line(text[begin - 1]) && !is_word(text[begin - 1])) --begin;
  if (begin > 0 && !ends_line(text[begin - 1])) return false;
  bool number = false;
  for (; end < text.size() && !ends_line(text[end]) && !is_letter(text[end]); ++end)
    number |= is_digit(text[end]);
  return number && (end == text.size() || ends_line(text[end]));
}

// darknet's "12.5, 13.1 avg, 0.001 rate"
bool follows_number(std::string_view text, std::size_t at) {
  return at >= 2 && text[at - 1] == ' ' && is_digit(text[at - 2]);
}

// Whether there is a keyword around `at`.
bool tells(std::string_view text, std::size_t at) {
  switch (lower(text[at])) {
    case escape:
      return true;
    case 'o':
      if (at >= 1 && stands_at(text, at - 1, "loss")) return is_loss(text, at - 1, at + 3);
      if (at >= 2 && stands_at(text, at - 2, "epoch")) return is_only_word(text, at - 2, at + 3);
      return at >= 3 && stands_at(text, at - 3, "throughput");
    case 'i':
      return at >= 1 && stands_at(text, at - 1, "time") && ends_word(text, at + 3) &&
             follows_epoch_or_step(text, at - 1);
    case 'a':
      if (stands_at(text, at, "avg,")) return follows_number(text, at);
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

// All words for a validation contain "val" or "tes".
bool may_report_validation(std::string_view text) {
  constexpr std::size_t piece = lanes + 1;
  if (text.size() >= piece) {
    Bytes hits = pairs(text.data() + text.size() - piece);
    for (std::size_t at = 0; at + piece <= text.size(); at += lanes) hits |= pairs(text.data() + at);
    if (!any(hits)) return false;
  }
  for (std::size_t at = 0; at < text.size(); ++at)
    if (stands_at(text, at, "val") || stands_at(text, at, "tes")) return true;
  return false;
}

}  // namespace adarun::monitor
