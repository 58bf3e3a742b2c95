// SPDX-License-Identifier: Apache-2.0
#include "monitor/parse/unread_format.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include "base/line_cutter.h"
#include "monitor/base/text.h"
#include "monitor/parse/line_pattern.h"

namespace adarun::monitor {
namespace {

struct UnreadFormat {
  std::string_view name;
  std::string_view sign;     ///< In a line of it; a space stands for any number of them.
  std::string_view pattern;  ///< Reads its lines: see LinePattern.
};

constexpr std::array<UnreadFormat, 12> formats{{
    {"a table of fastai", "train_loss valid_loss",
     R"(^(?<epoch>\d+) +(?<loss>[^N ]\S*) +(?:None|(?<validation>\S+)) )"},
    {"a table of ultralytics", "box_loss cls_loss",
     R"((?<epoch>\d+)/(?<epochs>\d+) +\S+G +(?<loss>\S+) .*\b(?<step>\d+)/(?<steps>\d+) )"},
    {"a table of ultralytics", "box_loss obj_loss",
     R"((?<epoch>\d+)/(?<epochs>\d+) +\S+G +(?<loss>\S+) .*\b(?<step>\d+)/(?<steps>\d+) )"},
    {"a table of tf_cnn_benchmarks", "Img/sec total_loss",
     R"(^(?<step>\d+)\timages/sec: (?<throughput>\S+) .*\)\t(?<loss>\S+))"},
    {"a table of Stable Baselines3", "| train/ |", R"(^\| +loss +\| (?<loss>\S+))"},
    {"a table of Stable Baselines3", "| train/ |", R"(^\| +critic_loss +\| (?<loss>\S+))"},
    {"a table of Stable Baselines3", "| train/ |", R"(^\| +value_loss +\| (?<loss>\S+))"},
    {"a table of spaCy", "E # LOSS ", R"(^ *(?<epoch>\d+) +(?<step>\d+) +(?<loss>\S+) )"},
    {"a log of XGBoost", "-logloss:", R"(^\[(?<step>\d+)\]\s+\S+logloss:(?<loss>\S+))"},
    {"a log of XGBoost", "-mlogloss:", R"(\[(?<step>\d+)\]\s+\S+-mlogloss:(?<loss>\S+))"},
    {"a log of CatBoost", ": learn: ", R"(^(?<step>\d+):\s+learn: (?<loss>\S+))"},
    {"a log of trl's PPO", "loss/policy_avg", R"(loss/policy_avg.{1,2} (?<loss>[^,}]+))"},
}};

bool is_blank(char c) {
  return c == ' ' || c == '\t';
}

bool begins_with(std::string_view text, std::string_view sign) {
  for (const char c : sign) {
    if (c != ' ') {
      if (text.empty() || text.front() != c) return false;
      text.remove_prefix(1);
      continue;
    }
    if (text.empty() || !is_blank(text.front())) return false;
    while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  }
  return true;
}

bool contains(std::string_view text, std::string_view sign) {
  const char first = sign.front();
  for (std::size_t at = text.find(first); at != std::string_view::npos; at = text.find(first, at + 1))
    if (begins_with(text.substr(at), sign)) return true;
  return false;
}

// Whether the pattern finds a loss in a line of the text.
bool reads_any(std::string_view pattern, std::string_view text) {
  const LinePattern reader(pattern);
  bool reads = false;
  base::for_each_line(text, base::log_lines.end, [&](std::string_view line) {
    while (!line.empty() && ends_line(line.back())) line.remove_suffix(1);
    const auto match = reads ? std::nullopt : reader.read(line);
    reads = reads || (match && match->loss);
  });
  return reads;
}

// The first line that has the word "loss" and a digit behind it; empty if there is none.
std::string_view line_with_loss(std::string_view text) {
  constexpr std::string_view word = "loss";
  auto from = text.begin();
  for (;;) {
    const auto found =
        std::search(from, text.end(), word.begin(), word.end(), [](char a, char b) { return lower(a) == b; });
    if (found == text.end()) return {};
    const auto end = std::find_if(found, text.end(), ends_line);
    auto begin = found;
    while (begin != text.begin() && !ends_line(*(begin - 1))) --begin;
    if (std::any_of(found, end, is_digit)) return {&*begin, static_cast<std::size_t>(end - begin)};
    from = end;
  }
}

}  // namespace

std::string unread_format_in(std::string_view text) {
  constexpr std::size_t most_shown = 80;
  for (const UnreadFormat& format : formats)
    if (contains(text, format.sign) && reads_any(format.pattern, text))
      return "it looks like " + std::string(format.name) + ", which this reads: --pattern '" +
             std::string(format.pattern) + "'";
  const std::string_view line = line_with_loss(text);
  if (line.empty()) return {};
  return "a line that has the word is \"" + std::string(line.substr(0, most_shown)) +
         (line.size() > most_shown ? "..." : "") + "\", which --pattern may read";
}

}  // namespace adarun::monitor
