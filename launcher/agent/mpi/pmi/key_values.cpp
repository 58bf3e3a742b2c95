// SPDX-License-Identifier: Apache-2.0
#include "launcher/agent/mpi/pmi/key_values.h"

#include <algorithm>
#include <utility>

#include "launcher/agent/mpi/pmi/command.h"

namespace adarun::launcher::agent::pmi {
namespace {

// Overhead of a pair as a line: '=' and the line end.
constexpr std::size_t line_bytes = 2;

}  // namespace

std::string KeyValues::put(const std::string& key, const std::string& value) {
  if (key.empty() || key.find_first_of("= \n") != std::string::npos) return "invalid_key";
  if (key.size() > max_key_bytes) return "key_too_long";
  if (value.size() > max_value_bytes) return "value_too_long";
  const auto before = own_.find(key);
  const std::size_t freed = before == own_.end() ? 0 : before->second;
  const std::size_t needed = key.size() + value.size() + line_bytes;
  if (bytes_ - freed + needed > max_bytes_) return "too_much_published_on_this_node";
  bytes_ += needed - freed;
  own_[key] = needed;
  new_.insert(key);
  values_.insert_or_assign(key, value);
  return "";
}

const std::string* KeyValues::find(std::string_view key) const {
  const auto at = values_.find(key);
  return at == values_.end() ? nullptr : &at->second;
}

std::string KeyValues::take_new() {
  std::string lines;
  for (const std::string& key : std::exchange(new_, {})) lines += key + '=' + values_.at(key) + '\n';
  return lines;
}

void KeyValues::add(std::string_view lines) {
  while (!lines.empty()) {
    const std::string_view line = lines.substr(0, lines.find('\n'));
    lines.remove_prefix(std::min(line.size() + 1, lines.size()));
    if (auto pair = parse_pair(line))
      values_.insert_or_assign(std::move(pair->first), std::move(pair->second));
  }
}

}  // namespace adarun::launcher::agent::pmi
