// SPDX-License-Identifier: Apache-2.0
#include "launcher/probe/node_facts.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <sstream>

namespace adarun::launcher {
namespace {

constexpr const char* mpich_abi = "libmpi.so.12";

template <typename Number>
std::optional<Number> number(std::string_view text) {
  Number value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// The first word after `label` in the line that begins with it; empty: none.
std::string word_behind(const std::string& text, const std::string& label) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.rfind(label, 0) != 0) continue;
    std::istringstream words(line.substr(label.size()));
    std::string word;
    words >> word;
    return word;
  }
  return "";
}

}  // namespace

std::optional<int> cpus_of(const std::string& list) {
  constexpr int most = 1 << 20;  // Linux supports 8192.
  int count = 0;
  std::istringstream items(list.substr(0, list.find('\n')));
  for (std::string item; std::getline(items, item, ',');) {
    const std::size_t dash = item.find('-');
    const auto first = number<int>(item.substr(0, dash));
    const auto last = dash == std::string::npos ? first : number<int>(item.substr(dash + 1));
    if (!first || !last || *first < 0 || *last < *first || *last >= most || count >= most)
      return std::nullopt;
    count += *last - *first + 1;
  }
  return count > 0 ? std::optional(count) : std::nullopt;
}

std::optional<std::uint64_t> memory_of(const std::string& meminfo) {
  const auto kib = number<std::uint64_t>(word_behind(meminfo, "MemTotal:"));
  return kib ? std::optional(*kib * 1024) : std::nullopt;
}

std::optional<std::uint64_t> open_files_of(const std::string& limits) {
  return number<std::uint64_t>(word_behind(limits, "Max open files"));
}

std::vector<std::uint64_t> free_of(const std::string& df) {
  std::vector<std::uint64_t> free;
  std::istringstream lines(df);
  std::string line;
  std::getline(lines, line);  // The header line.
  while (std::getline(lines, line)) {
    std::istringstream words(line);
    std::string word;
    for (int column = 0; column < 4; ++column) words >> word;
    free.push_back(number<std::uint64_t>(word).value_or(0) * 1024);
  }
  return free;
}

std::string library_in(const std::vector<std::string>& names, const std::string& stem) {
  std::string longest;
  for (const std::string& name : names)
    if (name.rfind(stem, 0) == 0 && name.size() > longest.size()) longest = name;
  return longest;
}

std::string open_mpi_in(const std::vector<std::string>& names) {
  std::vector<std::string> others;
  std::copy_if(names.begin(), names.end(), std::back_inserter(others),
               [](const std::string& name) { return name.rfind(mpich_abi, 0) != 0; });
  return library_in(others, "libmpi.so.");
}

std::string mpich_in(const std::vector<std::string>& names) {
  const std::string found = library_in(names, "libmpich.so.");
  return found.empty() ? library_in(names, mpich_abi) : found;
}

}  // namespace adarun::launcher
