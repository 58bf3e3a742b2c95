// SPDX-License-Identifier: Apache-2.0
#include "cli/arguments/colon_programs.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstddef>
#include <iterator>
#include <string_view>

#include "cli/arguments/command.h"

namespace adarun::cli {
namespace {

using Program = std::vector<std::string>;

constexpr std::size_t most_ranks = std::size_t{1} << 20U;

[[noreturn]] void refuse_colon(const std::string& found) {
  throw Quit(exit_usage,
             "\":\": " + found +
                 ": wanted -n N and a program on each side, as in -n 1 ./server : -n 3 ./worker; a "
                 "program with such a word has -- before it");
}

bool is_count_option(const std::string& word) {
  constexpr std::array<std::string_view, 5> names{"-n", "-np", "--n", "--np", "--ranks"};
  return std::ranges::find(names, word) != names.end();
}

std::size_t count_in(const std::string& text) {
  std::size_t count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (error != std::errc() || end != text.data() + text.size() || count == 0 || count > most_ranks)
    refuse_colon("-n \"" + text + "\"");
  return count;
}

std::vector<Program> parts_of(const std::vector<std::string>& words) {
  std::vector<Program> parts;
  for (auto begin = words.begin();;) {
    const auto end = std::find(begin, words.end(), ":");
    parts.emplace_back(begin, end);
    if (end == words.end()) return parts;
    begin = std::next(end);
  }
}

// Takes "-n N" from the front of a program behind ":".
std::size_t take_count(Program& part) {
  if (part.empty()) refuse_colon("nothing behind it");
  if (!is_count_option(part.front()) || part.size() < 2) refuse_colon("\"" + part.front() + "\" behind it");
  const std::size_t count = count_in(part[1]);
  part.erase(part.begin(), part.begin() + 2);
  if (part.empty()) refuse_colon("no program behind -n");
  if (part.front().starts_with('-')) refuse_colon("\"" + part.front() + "\" before a program");
  return count;
}

// Takes the last "-n 4", "-n4" or "--ranks=4" out of the options of the command line.
std::string take_total(std::vector<std::string>& own) {
  for (std::size_t i = own.size(); i > 0; --i) {
    const auto at = own.begin() + static_cast<std::ptrdiff_t>(i - 1);
    const std::size_t equals = at->find('=');
    std::string count;
    if (is_count_option(*at) && i < own.size()) {
      count = own[i];
      own.erase(at, at + 2);
    } else if (equals != std::string::npos && is_count_option(at->substr(0, equals))) {
      count = at->substr(equals + 1);
      own.erase(at);
    } else if (at->starts_with("-n") && at->size() > 2 &&
               std::isdigit(static_cast<unsigned char>((*at)[2])) != 0) {
      count = at->substr(2);
      own.erase(at);
    } else {
      continue;
    }
    return count;
  }
  refuse_colon("no -n before the first program");
}

// "app1=4-7", and where the next one begins.
std::string role_text(std::size_t number, std::size_t& first, std::size_t count) {
  std::string text = "app" + std::to_string(number) + "=" + std::to_string(first);
  first += count;
  return count == 1 ? text : text + "-" + std::to_string(first - 1);
}

}  // namespace

bool has_colon_programs(const CommandLine& line) {
  return std::ranges::find(line.trailing, ":") != line.trailing.end();
}

CommandLine with_roles(CommandLine line) {
  const std::string first_count = take_total(line.own);
  std::vector<Program> parts = parts_of(line.trailing);
  if (parts.front().empty()) refuse_colon("nothing before it");
  std::size_t next_rank = 0;
  const std::string first_role = role_text(0, next_rank, count_in(first_count));
  line.trailing = parts.front();
  for (std::size_t i = 1; i < parts.size(); ++i) {
    const std::size_t count = take_count(parts[i]);
    line.trailing.insert(line.trailing.end(), {"--role", role_text(i, next_rank, count), "--"});
    line.trailing.insert(line.trailing.end(), parts[i].begin(), parts[i].end());
  }
  line.own.insert(line.own.end(), {"--ranks", std::to_string(next_rank), "--role", first_role});
  return line;
}

}  // namespace adarun::cli
