// SPDX-License-Identifier: Apache-2.0
#include "launcher/agent/mpi/pmi/key_values.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>

#include "launcher/agent/mpi/pmi/client.h"

namespace adarun::launcher::agent::pmi {
namespace {

// Overhead of a pair as a line: '=' and the line end.
constexpr std::size_t line_bytes = 2;

using Nodes = std::vector<std::uint32_t>;  // The node of each rank.

struct Block {
  std::uint32_t first_node = 0;
  std::uint32_t nodes = 0;
  std::uint32_t ranks = 0;  // Ranks on each node.

  bool operator==(const Block&) const = default;
};

constexpr std::uint32_t nowhere = ~std::uint32_t{0};

// Empty if a rank is missing or occurs twice.
Nodes nodes_by_rank(const std::vector<protocol::NodeRanks>& nodes) {
  std::size_t world = 0;
  for (const protocol::NodeRanks& node : nodes) world += node.ranks.size();
  Nodes result(world, nowhere);
  for (std::uint32_t node = 0; node < nodes.size(); ++node)
    for (const std::uint32_t rank : nodes[node].ranks) {
      if (rank >= world || result[rank] != nowhere) return {};
      result[rank] = node;
    }
  return result;
}

void number_by_first_rank(Nodes& nodes) {
  std::map<std::uint32_t, std::uint32_t> numbers;
  for (std::uint32_t& node : nodes)
    node = numbers.emplace(node, static_cast<std::uint32_t>(numbers.size())).first->second;
}

std::vector<Block> blocks_of(const Nodes& nodes) {
  std::vector<Block> blocks;
  for (auto rank = nodes.begin(); rank != nodes.end();) {
    const auto end =
        std::find_if(rank, nodes.end(), [node = *rank](std::uint32_t other) { return other != node; });
    const auto ranks = static_cast<std::uint32_t>(end - rank);
    const bool continues = !blocks.empty() && blocks.back().ranks == ranks &&
                           blocks.back().first_node + blocks.back().nodes == *rank;
    if (continues)
      ++blocks.back().nodes;
    else
      blocks.push_back({*rank, 1, ranks});
    rank = end;
  }
  return blocks;
}

// If the list is one sequence of blocks repeated, keeps only the first repetition.
void fold(std::vector<Block>& blocks) {
  for (std::size_t period = 1; period <= blocks.size() / 2; ++period) {
    const auto again = blocks.begin() + static_cast<std::ptrdiff_t>(period);
    if (blocks.size() % period != 0 || !std::equal(again, blocks.end(), blocks.begin())) continue;
    blocks.erase(again, blocks.end());
    return;
  }
}

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

std::string process_mapping(const std::vector<protocol::NodeRanks>& nodes) {
  Nodes by_rank = nodes_by_rank(nodes);
  if (by_rank.empty()) return "";
  number_by_first_rank(by_rank);
  std::vector<Block> blocks = blocks_of(by_rank);
  fold(blocks);
  std::string text = "(vector";
  for (const Block& block : blocks)
    text += ",(" + std::to_string(block.first_node) + ',' + std::to_string(block.nodes) + ',' +
            std::to_string(block.ranks) + ')';
  return text + ')';
}

}  // namespace adarun::launcher::agent::pmi
