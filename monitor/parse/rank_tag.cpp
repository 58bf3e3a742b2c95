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
constexpr std::size_t most_name_bytes = 1024;          // Of a file, and of the text that may tell a rank.
constexpr std::string_view attempt_word = "attempt ";  // Of adarun logs.
constexpr std::uint32_t most_rank = (1U << 20U) - 1;

// Before the number of a process.
constexpr std::array<std::string_view, 13> process_words{
    "rank", "default", "trainer", "worker", "proc", "process", "local_rank",
    "gpu",  "npu",     "device",  "cuda",   "tpu",  "xla"};

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
  constexpr std::array<std::string_view, 7> words{"rank", "gpu", "npu", "device", "cuda", "tpu", "xla"};
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

// The digits that a text begins with.
std::string_view leading_digits(std::string_view text) {
  return text.substr(0, std::min(text.find_first_not_of("0123456789"), text.size()));
}

// What is behind the last `separator`, or all.
std::string_view last_part(std::string_view text, char separator) {
  return text.substr(text.rfind(separator) + 1);
}

// Of "pod/train-worker-3/main", and of "pod/train-3-xd7k2/main" with the suffix of an indexed Job; none where
// that is one of several jobs ("pod/train-1-3-xd7k2/main"), whose pods are counted from 0 each.
std::optional<std::uint32_t> number_of_pod(std::string_view label) {
  constexpr std::size_t suffix_bytes = 5;
  std::string_view name = label.substr(label.find('/') + 1);
  name = name.substr(0, name.find('/'));
  const std::string_view suffix = last_part(name, '-');
  const bool is_of_job = !are_digits(suffix) && suffix.size() == suffix_bytes && suffix.size() < name.size();
  if (is_of_job) name.remove_suffix(suffix_bytes + 1);
  const std::string_view index = last_part(name, '-');
  if (!are_digits(index)) return std::nullopt;
  name.remove_suffix(std::min(index.size() + 1, name.size()));
  const std::string_view job = last_part(name, '-');
  if (is_of_job && are_digits(job) && job != "0") return std::nullopt;
  return last_number(index);
}

std::size_t with_space(std::string_view line, std::size_t length) {
  return length < line.size() && line[length] == ' ' ? length + 1 : length;
}

// "1,3", "prterun-node1-4242@1,3", SageMaker's "1,mpirank:3,algo-1"; not "node1:4242".
bool names_process(std::string_view label) {
  return label.find("rank:") != std::string_view::npos ||
         last_part(label, '@').find_first_not_of("0123456789,") == std::string_view::npos;
}

// "[1,3]<stdout>:", also behind a time or before a place: "Thu Feb 20 10:00:00
// 2020[1,3][node1:4242]<stdout>:"
std::optional<RankTag> stream_tag(std::string_view line) {
  const std::size_t close = line.substr(0, most_tag_bytes).find("]<std");
  if (close == std::string_view::npos) return std::nullopt;
  std::string_view label;
  for (std::string_view groups = line.substr(0, close + 1); groups.ends_with(']');) {
    const std::size_t open = groups.rfind('[');
    if (open == std::string_view::npos) break;
    const std::string_view inside = groups.substr(open + 1, groups.size() - open - 2);
    if (label.empty() || names_process(inside)) label = inside;
    groups = groups.substr(0, open);
  }
  const std::size_t named = label.find("rank:");
  const auto number =
      last_number(named == std::string_view::npos ? label : leading_digits(label.substr(named + 5)));
  for (const std::string_view stream : {"<stdout>:", "<stderr>:", "<stddiag>:"})
    if (number && line.substr(close + 1).starts_with(stream))
      return RankTag{RankTag::Kind::stream, label, number, with_space(line, close + 1 + stream.size())};
  return std::nullopt;
}

bool ends_as_log(std::string_view name) {
  for (const std::string_view ending : {".log", ".out", ".txt", ".err"})
    if (name.ends_with(ending)) return true;
  return false;
}

// Of a log of one rank: of "worker_3.log", "log_rank3.txt", "attempt_0/3/stdout.log".
std::optional<std::uint32_t> rank_of_file(std::string_view name) {
  const std::string_view file = last_part(name, '/');
  const std::size_t dot = std::min(file.rfind('.'), file.size());
  if (!ends_as_log(file)) return std::nullopt;
  if (ends_in_digit(file.substr(0, dot))) return last_number(file.substr(0, dot));
  name.remove_suffix(std::min(file.size() + 1, name.size()));
  const std::string_view folder = last_part(name, '/');
  return ends_in_digit(folder) ? last_number(folder) : std::nullopt;
}

// "log_output/worker_3.log:", as grep prints it, "worker_3.log:17:" with line numbers.
std::optional<RankTag> file_tag(std::string_view line) {
  constexpr std::size_t ending_bytes = 4;
  const std::size_t end = line.substr(0, most_name_bytes).find(':');
  if (end == std::string_view::npos || end < ending_bytes || line[end - ending_bytes] != '.')
    return std::nullopt;
  if (line.substr(0, end).find_first_of(" |[{(") != std::string_view::npos) return std::nullopt;
  const auto number = rank_of_file(line.substr(0, end));
  if (!number) return std::nullopt;
  const std::size_t digits = leading_digits(line.substr(end + 1)).size();
  const bool has_line = digits > 0 && line.substr(end + 1 + digits).starts_with(':');
  return RankTag{RankTag::Kind::file, line.substr(0, end), number, end + 1 + (has_line ? digits + 1 : 0)};
}

// The rank in "attempt 2:3" and "attempt 2:3 actor", as adarun logs --attempts prints them: attempts of a
// rank replace each other.
std::string_view rank_of_attempt(std::string_view label) {
  if (!label.starts_with(attempt_word)) return {};
  label.remove_prefix(std::min(label.find(':') + 1, label.size()));
  const std::string_view rank = leading_digits(label);
  return rank.size() == label.size() || label[rank.size()] == ' ' ? rank : std::string_view();
}

// "[3] ", "[3 actor] ", "[rank3]:", "[pod/train-worker-3/main] "
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
  const bool has_colon = behind.starts_with(':');
  const bool is_xla = inside.starts_with("xla:") && behind.starts_with('(');  // "[xla:3](100) Loss=2.3"
  if (!has_colon && !is_xla && !behind.starts_with(' ') && !behind.empty()) return std::nullopt;
  const std::size_t length = close + 1 + (has_colon ? 1 : 0);
  if (const std::size_t digits = leading_digits(inside).size(); digits > 0) {
    const std::string_view role = inside.substr(digits);
    if (is_list_of_ranks(inside) && !has_colon && !behind.empty())
      return RankTag{RankTag::Kind::bracket, inside, last_number(inside.substr(0, digits)), close + 2, true};
    const bool is_role =
        role.size() > 1 && role[0] == ' ' && std::all_of(role.begin() + 1, role.end(), is_word);
    if (!role.empty() && (!is_role || has_colon)) return std::nullopt;
    return tag(RankTag::Kind::bracket, length, last_number(inside.substr(0, digits)));
  }
  if (const std::string_view rank = rank_of_attempt(inside); last_number(rank))
    return RankTag{RankTag::Kind::word, rank, last_number(rank), with_space(line, length)};
  if (inside.starts_with("pod/")) return tag(RankTag::Kind::process, length, number_of_pod(inside));
  if (!ends_in_digit(inside)) return std::nullopt;
  const std::string_view word = word_before_number(inside);
  if (word.empty() || is_one_of(word, counting_words)) return std::nullopt;
  const bool touches = is_letter(inside[inside.find_last_not_of("0123456789")]);
  if (is_one_of(word, process_words) && !is_after_colon(word, inside))
    return tag(RankTag::Kind::word, length, last_number(inside));
  const bool is_short = same_word(word, "r") && touches;  // "[R3] "
  return is_short || (has_colon && touches) ? tag(RankTag::Kind::host, length, last_number(inside))
                                            : std::nullopt;
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

// "worker-3  | ", "worker3-1  | ": compose counts the containers of a service from 1.
std::optional<RankTag> pipe_tag(std::string_view line) {
  const std::string_view name =
      line.substr(0, std::min(line.substr(0, most_tag_bytes).find(' '), line.size()));
  const std::size_t bar = line.substr(0, most_tag_bytes).find_first_not_of(' ', name.size());
  if (!ends_in_digit(name) || !is_letter(name[0]) || bar == std::string_view::npos || line[bar] != '|')
    return std::nullopt;
  const std::string_view service = name.substr(0, name.size() - std::min<std::size_t>(name.size(), 2));
  const bool has_index = (name.ends_with("-1") || name.ends_with("_1")) && ends_in_digit(service);
  const auto number = last_number(has_index ? service : name);
  if (!number || is_one_of(word_before_number(name), counting_words)) return std::nullopt;
  return RankTag{RankTag::Kind::host, name, number, with_space(line, bar + 1)};
}

bool ends_with_word(std::string_view text, std::string_view word) {
  return text.size() >= word.size() && same_word(text.substr(text.size() - word.size()), word);
}

bool has_loss(std::string_view text) {
  constexpr std::string_view word = "loss";
  return std::search(text.begin(), text.end(), word.begin(), word.end(),
                     [](char a, char b) { return lower(a) == b; }) != text.end();
}

// The number behind the word "rank" that ends at `end`: "rank 3", "Rank: 3", "rank=3", "rank3", "rank_3",
// ""rank": 3". A rank of -1 is that of a program that runs alone.
std::optional<RankTag> rank_behind(std::string_view text, std::size_t end) {
  constexpr std::string_view separators = " :=#\"'";
  std::size_t begin = end;
  if (begin < text.size() && (text[begin] == '-' || text[begin] == '_')) ++begin;
  while (begin < text.size() && begin < end + 4 && separators.find(text[begin]) != std::string_view::npos)
    ++begin;
  const std::string_view digits = leading_digits(text.substr(begin));
  const std::size_t behind = begin + digits.size();
  const bool is_fraction = behind + 1 < text.size() && text[behind] == '.' && is_digit(text[behind + 1]);
  const auto number = last_number(digits);
  if (!number || is_fraction || (behind < text.size() && is_word(text[behind]))) return std::nullopt;
  return RankTag{RankTag::Kind::text, digits, number, 0};
}

// Of torch_xla's "Training Device=xla:0/3 Epoch=1".
std::optional<RankTag> xla_tag(std::string_view text) {
  constexpr std::string_view word = "Device=xla:";
  const std::size_t at = text.find(word);
  if (at == std::string_view::npos) return std::nullopt;
  const std::string_view device = text.substr(at + word.size());
  const std::string_view label =
      device.substr(0, std::min(device.find_first_not_of("0123456789/"), device.size()));
  const auto number = last_number(label);
  return number ? std::optional(RankTag{RankTag::Kind::text, label, number, 0}) : std::nullopt;
}

// A rank of a metric ("mean rank: 12") or of a matrix ("lora rank: 8") is none. A local rank counts where
// nothing else is told, of a node neither.
std::optional<RankTag> text_tag(std::string_view line) {
  constexpr std::string_view word = "rank";
  const std::string_view text = line.substr(0, most_name_bytes);
  std::optional<RankTag> local;
  bool has_node = false;
  for (std::size_t at = 0; at + word.size() < text.size(); ++at) {
    if (lower(text[at]) != 'r' || !same_word(text.substr(at, word.size()), word)) continue;
    std::size_t begin = at;
    while (begin > 0 && is_word(text[begin - 1])) --begin;
    const std::string_view whose = text.substr(begin, at - begin);
    for (const std::string_view other : {"mean ", "median ", "average ", "avg ", "lora ", "top "})
      if (ends_with_word(text.substr(0, begin), other)) return std::nullopt;
    has_node = has_node || same_word(whose, "node_");
    if (same_word(whose, "local_") && !local) local = rank_behind(text, at + word.size());
    if (!whose.empty() && !same_word(whose, "global_") && !same_word(whose, "world_")) continue;
    if (auto rank = rank_behind(text, at + word.size())) {
      const bool is_key = begin > 0 && (text[begin - 1] == '"' || text[begin - 1] == '\'');
      rank->may_be_metric = is_key || has_loss(text.substr(0, begin));
      return rank;
    }
  }
  if (local && !has_node) return local;
  return xla_tag(text);
}

// "worker_3.log: " is no host.
std::optional<RankTag> name_tag(std::string_view text) {
  const auto file = file_tag(text);
  return file ? file : colon_tag(text);
}

// Where a program names its rank behind the tag of a launcher, that counts: "0: [rank 3] ".
void take_inner_tag(std::string_view text, RankTag& tag) {
  const std::string_view behind = text.substr(std::min(tag.length, text.size()));
  if (behind.empty() || (behind[0] != '[' && lower(behind[0]) != 'r')) return;
  if (tag.kind == RankTag::Kind::stream || tag.kind == RankTag::Kind::word || tag.is_list) return;
  const auto inner = behind[0] == '[' ? bracket_tag(behind) : colon_tag(behind);
  if (!inner || inner->kind != RankTag::Kind::word || !same_word(inner->label.substr(0, 4), "rank")) return;
  tag.number = inner->number;
  tag.length += inner->length;
  if (tag.certain()) return;
  tag.kind = RankTag::Kind::word;
  const char* const begin = tag.label.data();
  tag.label = {begin, static_cast<std::size_t>(inner->label.data() + inner->label.size() - begin)};
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

std::optional<RankTag> heading_tag_of(std::string_view line) {
  constexpr std::string_view begin = "==> ";
  constexpr std::string_view end = " <==";
  if (!line.starts_with(begin) || line.size() > most_name_bytes) return std::nullopt;
  if (line.ends_with('\n')) line.remove_suffix(1);
  if (line.ends_with('\r')) line.remove_suffix(1);
  if (!line.ends_with(end) || line.size() < begin.size() + end.size()) return std::nullopt;
  std::string_view name = line.substr(begin.size(), line.size() - begin.size() - end.size());
  if (name.ends_with(')')) name = name.substr(0, name.rfind(" (role "));  // Of adarun logs.
  const auto number = rank_of_file(name);
  if (name.starts_with(attempt_word)) name = last_part(name, '/');
  const bool is_log = number || (ends_as_log(name) && name.find(' ') == std::string_view::npos);
  return is_log ? std::optional(RankTag{RankTag::Kind::heading, name, number, line.size()}) : std::nullopt;
}

std::optional<RankTag> rank_tag_of(std::string_view line) {
  if (line.empty()) return std::nullopt;
  std::size_t colour = 0;  // Of Ray, before the tag.
  if (line.starts_with("\x1b[")) colour = std::min(line.find('m', 2), line.size() - 1) + 1;
  const std::string_view text = line.substr(colour);
  if (text.empty()) return std::nullopt;
  auto tag = text[0] == '['      ? bracket_tag(text)
             : text[0] == '('    ? ray_tag(text)
             : is_digit(text[0]) ? colon_tag(text)
                                 : name_tag(text);
  if (!tag) tag = stream_tag(text);
  if (!tag) tag = pipe_tag(text);
  if (!tag) tag = file_tag(text);
  if (!tag) return text_tag(text);
  take_inner_tag(text, *tag);
  tag->length += colour;
  return tag;
}

}  // namespace adarun::monitor
