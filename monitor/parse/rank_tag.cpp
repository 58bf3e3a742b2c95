// SPDX-License-Identifier: Apache-2.0
#include "monitor/parse/rank_tag.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>

#include "monitor/base/text.h"

namespace adarun::monitor {
namespace {

constexpr std::size_t most_tag_bytes = 96;
constexpr std::uint32_t most_rank = (1U << 20U) - 1;

// Before the number of a process.
constexpr std::array<std::string_view, 10> process_words{
    "rank", "default", "trainer", "worker", "proc", "process", "local_rank", "gpu", "npu", "device"};

// Before the number of something else.
constexpr std::array<std::string_view, 22> counting_words{
    "epoch", "ep",    "e",     "step",  "iter", "iteration", "it",   "batch", "b",    "fold", "stage",
    "phase", "round", "trial", "layer", "loss", "episode",   "task", "seed",  "line", "run",  "group"};

bool is_one_of(std::string_view word, const auto& words) {
  return std::any_of(words.begin(), words.end(),
                     [word](std::string_view each) { return same_word(word, each); });
}

bool are_digits(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), is_digit);
}

// The last number in a text, if it may be a rank's.
std::optional<std::uint32_t> last_number(std::string_view text) {
  while (!text.empty() && !is_digit(text.back())) text.remove_suffix(1);
  std::size_t begin = text.size();
  while (begin > 0 && is_digit(text[begin - 1])) --begin;
  std::uint32_t value = 0;
  const auto [end, wrong] = std::from_chars(text.data() + begin, text.data() + text.size(), value);
  return begin < text.size() && wrong == std::errc() && value <= most_rank ? std::optional(value)
                                                                           : std::nullopt;
}

// The letters before the number that a text ends with, without what separates them: "Rank" of "Rank 3".
std::string_view word_before_number(std::string_view text) {
  while (!text.empty() && is_digit(text.back())) text.remove_suffix(1);
  constexpr std::string_view separators = " -_:=";
  if (!text.empty() && separators.find(text.back()) != std::string_view::npos) text.remove_suffix(1);
  return std::all_of(text.begin(), text.end(), is_letter) ? text : std::string_view();
}

// "[trainer:88]" is a place in a program, "[gpu:1]" a process.
bool is_after_colon(std::string_view word, std::string_view text) {
  constexpr std::array<std::string_view, 4> words{"rank", "gpu", "npu", "device"};
  return text.find(':') != std::string_view::npos && !is_one_of(word, words);
}

bool ends_in_digit(std::string_view text) {
  return !text.empty() && is_digit(text.back());
}

// "3", "0-3"; not "2026-11-21", "05-12"
bool is_range_of_ranks(std::string_view text) {
  const std::size_t dash = std::min(text.find('-'), text.size());
  const std::string_view first = text.substr(0, dash);
  const std::string_view last = dash < text.size() ? text.substr(dash + 1) : first;
  const auto is_rank = [](std::string_view digits) {
    return are_digits(digits) && (digits.size() == 1 || digits[0] != '0') && last_number(digits);
  };
  return is_rank(first) && is_rank(last) && *last_number(first) <= *last_number(last);
}

// "0-3,7"
bool is_list_of_ranks(std::string_view text) {
  if (text.find_first_of(",-") == std::string_view::npos) return false;
  while (text.find(',') != std::string_view::npos) {
    if (!is_range_of_ranks(text.substr(0, text.find(',')))) return false;
    text.remove_prefix(text.find(',') + 1);
  }
  return is_range_of_ranks(text);
}

std::size_t with_space(std::string_view line, std::size_t length) {
  return length < line.size() && line[length] == ' ' ? length + 1 : length;
}

// "[1,3]<stdout>:", "[3] ", "[3 actor] ", "[rank3]:", "[pod/train-worker-3/main] "
std::optional<RankTag> bracket_tag(std::string_view line) {
  const std::size_t close = line.substr(0, most_tag_bytes).find(']');
  if (close == std::string_view::npos) return std::nullopt;
  const std::string_view inside = line.substr(1, close - 1);
  const std::string_view behind = line.substr(close + 1);
  const auto tag = [&](RankTag::Kind kind, std::size_t length, std::optional<std::uint32_t> number) {
    return number || kind == RankTag::Kind::process
               ? std::optional(RankTag{kind, inside, number, with_space(line, length)})
               : std::nullopt;
  };
  for (const std::string_view stream : {"<stdout>:", "<stderr>:", "<stddiag>:"})
    if (behind.starts_with(stream))
      return tag(RankTag::Kind::stream, close + 1 + stream.size(), last_number(inside));
  const bool has_colon = behind.starts_with(':');
  if (!has_colon && !behind.starts_with(' ') && !behind.empty()) return std::nullopt;
  const std::size_t length = close + 1 + (has_colon ? 1 : 0);
  const std::size_t digits = std::min(inside.find_first_not_of("0123456789"), inside.size());
  if (digits > 0) {
    const std::string_view role = inside.substr(digits);
    if (is_list_of_ranks(inside) && !has_colon && !behind.empty())
      return RankTag{RankTag::Kind::bracket, inside, last_number(inside.substr(0, digits)), close + 2, true};
    const bool is_role =
        role.size() > 1 && role[0] == ' ' && std::all_of(role.begin() + 1, role.end(), is_word);
    if (!role.empty() && (!is_role || has_colon)) return std::nullopt;
    return tag(RankTag::Kind::bracket, length, last_number(inside.substr(0, digits)));
  }
  if (inside.starts_with("pod/")) return tag(RankTag::Kind::process, length, last_number(inside));
  if (!ends_in_digit(inside)) return std::nullopt;
  const std::string_view word = word_before_number(inside);
  if (word.empty() || is_one_of(word, counting_words)) return std::nullopt;
  const bool touches = is_letter(inside[inside.find_last_not_of("0123456789")]);
  if (is_one_of(word, process_words) && !is_after_colon(word, inside))
    return tag(RankTag::Kind::word, length, last_number(inside));
  return has_colon && touches ? tag(RankTag::Kind::host, length, last_number(inside)) : std::nullopt;
}

// "(RayTrainWorker pid=4242, ip=10.0.0.1) "
std::optional<RankTag> ray_tag(std::string_view line) {
  const std::size_t close = line.substr(0, most_tag_bytes).find(')');
  const std::size_t pid = line.substr(0, most_tag_bytes).find(" pid=");
  if (close == std::string_view::npos || pid == std::string_view::npos || pid > close) return std::nullopt;
  std::size_t length = close + 1;
  if (line.substr(length).starts_with("\x1b[0m")) length += 4;
  return RankTag{RankTag::Kind::process, line.substr(pid + 1, close - pid - 1), std::nullopt,
                 with_space(line, length)};
}

// "3: ", "node3: ", "10.0.0.3: ", "rank 3: "
std::optional<RankTag> colon_tag(std::string_view line) {
  const std::size_t begin = std::min(line.find_first_not_of(' '), line.size());
  const std::size_t colon = line.substr(0, most_tag_bytes).find(':');
  if (colon == std::string_view::npos || colon <= begin) return std::nullopt;
  if (colon + 1 < line.size() && line[colon + 1] != ' ') return std::nullopt;
  const std::string_view label = line.substr(begin, colon - begin);
  const std::size_t length = with_space(line, colon + 1);
  const auto number = last_number(label);
  if (!number) return std::nullopt;
  if (are_digits(label)) return RankTag{RankTag::Kind::number, label, number, length};
  const std::string_view word = word_before_number(label);
  if (begin > 0 || is_one_of(word, counting_words)) return std::nullopt;
  if (ends_in_digit(label) && is_one_of(word, process_words))
    return RankTag{RankTag::Kind::word, label, number, length};
  const bool is_name =
      std::all_of(label.begin(), label.end(), [](char c) { return is_word(c) || c == '-' || c == '.'; });
  const bool is_address = is_digit(label[0]) && std::count(label.begin(), label.end(), '.') == 3;
  const bool is_numbered = ends_in_digit(label.substr(0, label.find('.')));
  if (!is_name || (!is_address && (is_digit(label[0]) || !is_numbered))) return std::nullopt;
  return RankTag{RankTag::Kind::host, label,
                 is_address ? number : last_number(label.substr(0, label.find('.'))), length};
}

// "worker-3  | "
std::optional<RankTag> pipe_tag(std::string_view line) {
  const std::string_view name =
      line.substr(0, std::min(line.substr(0, most_tag_bytes).find(' '), line.size()));
  const std::size_t bar = line.substr(0, most_tag_bytes).find_first_not_of(' ', name.size());
  if (!ends_in_digit(name) || !is_letter(name[0]) || bar == std::string_view::npos || line[bar] != '|')
    return std::nullopt;
  const auto number = last_number(name);
  if (!number || is_one_of(word_before_number(name), counting_words)) return std::nullopt;
  return RankTag{RankTag::Kind::host, name, number, with_space(line, bar + 1)};
}

bool ends_with_word(std::string_view text, std::string_view word) {
  return text.size() >= word.size() && same_word(text.substr(text.size() - word.size()), word);
}

// The number behind the word "rank" that ends at `end`: "rank 3", "Rank: 3", "rank=3", "rank3".
std::optional<RankTag> rank_behind(std::string_view text, std::size_t end) {
  constexpr std::string_view separators = " :=#-";
  std::size_t begin = end;
  while (begin < text.size() && begin < end + 2 && separators.find(text[begin]) != std::string_view::npos)
    ++begin;
  const std::size_t behind = std::min(text.find_first_not_of("0123456789", begin), text.size());
  const bool is_fraction = behind + 1 < text.size() && text[behind] == '.' && is_digit(text[behind + 1]);
  const auto number = last_number(text.substr(begin, behind - begin));
  if (!number || is_fraction || (behind < text.size() && is_word(text[behind]))) return std::nullopt;
  return RankTag{RankTag::Kind::text, text.substr(begin, behind - begin), number, 0};
}

// A rank of a metric ("mean rank: 12") or of a matrix ("lora rank: 8") is none.
std::optional<RankTag> text_tag(std::string_view line) {
  constexpr std::string_view word = "rank";
  const std::string_view text = line.substr(0, most_tag_bytes);
  for (std::size_t at = 0; at + word.size() < text.size(); ++at) {
    if (ends_with_word(text.substr(0, at), "loss")) return std::nullopt;
    if (!same_word(text.substr(at, word.size()), word) || (at > 0 && is_word(text[at - 1]))) continue;
    const std::string_view before = text.substr(0, at);
    for (const std::string_view other : {"mean ", "median ", "average ", "avg ", "lora ", "top "})
      if (ends_with_word(before, other)) return std::nullopt;
    return rank_behind(text, at + word.size());
  }
  return std::nullopt;
}

}  // namespace

void for_each_rank_in(std::string_view list, std::size_t most,
                      const std::function<void(std::uint32_t rank)>& take) {
  while (!list.empty()) {
    const std::string_view part = list.substr(0, list.find(','));
    list.remove_prefix(std::min(part.size() + 1, list.size()));
    const auto first = last_number(part.substr(0, part.find('-')));
    const auto last = last_number(part);
    if (!first || !last) continue;
    for (std::uint32_t rank = *first; rank <= *last && most > 0; ++rank, --most) take(rank);
  }
}

std::optional<RankTag> rank_tag_of(std::string_view line) {
  if (line.empty()) return std::nullopt;
  std::size_t colour = 0;  // Of Ray, before the tag.
  if (line.starts_with("\x1b[")) colour = std::min(line.find('m', 2), line.size() - 1) + 1;
  const std::string_view text = line.substr(colour);
  if (text.empty()) return std::nullopt;
  auto tag = text[0] == '[' ? bracket_tag(text) : text[0] == '(' ? ray_tag(text) : colon_tag(text);
  if (!tag) tag = pipe_tag(text);
  if (!tag) return text_tag(text);
  tag->length += colour;
  return tag;
}

}  // namespace adarun::monitor
