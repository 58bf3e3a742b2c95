// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <system_error>

#include "ranktable/error.h"
#include "ranktable/merge.h"
#include "ranktable/merge_schemas.h"
#include "ranktable/parse.h"

namespace adarun::ranktable {
namespace {

namespace fs = std::filesystem;

bool same_file(const fs::path& left, const fs::path& right) {
  std::error_code ignored;
  return fs::equivalent(left, right, ignored);
}

std::vector<MergeInput> read_all(std::span<const fs::path> files) {
  std::vector<MergeInput> inputs;
  std::map<fs::path, fs::path> seen;
  for (const fs::path& file : files) {
    inputs.push_back({file.string(), mergeable(read_any(file), file.string())});
    const auto [before, is_new] = seen.emplace(fs::canonical(file), file);
    if (!is_new) throw Error(before->second.string() + " and " + file.string() + ": are the same file");
  }
  return inputs;
}

bool same_cards(const Server& left, const Server& right) {
  const auto equal = [](const Device& a, const Device& b) {
    return a.device_id == b.device_id && a.device_ip == b.device_ip;
  };
  return std::is_permutation(left.devices.begin(), left.devices.end(), right.devices.begin(),
                             right.devices.end(), equal);
}

// Whether the tables of `inputs`, other than the one at `index`, have all servers of that one.
bool covered_by_others(const std::vector<MergeInput>& inputs, std::size_t index) {
  std::map<std::string_view, const Server*> others;
  for (std::size_t i = 0; i < inputs.size(); ++i)
    if (i != index)
      for (const Server& server : inputs[i].table.servers) others.emplace(server.server_id, &server);
  for (const Server& server : inputs[index].table.servers) {
    const auto other = others.find(server.server_id);
    if (other == others.end() || !same_cards(server, *other->second)) return false;
  }
  return true;
}

// Leaves out the input that an earlier run of this merge has written, if there is one.
std::optional<MergedFiles> merge_without_own_output(const std::vector<MergeInput>& inputs, Order order,
                                                    const std::optional<fs::path>& output) {
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const fs::path file = inputs[i].name;
    const fs::path own_name = output ? *output : fs::path(merged_name(inputs[i].table));
    if (!same_file(file, own_name) || !covered_by_others(inputs, i)) continue;
    std::vector<MergeInput> rest = inputs;
    rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(i));
    Merged merged = merge(rest, order);
    if (!output && merged_name(merged.table) != own_name) continue;
    merged.warnings.push_back(file.string() + ": is the result of an earlier merge of the others: left out");
    return MergedFiles{std::move(merged.table), own_name, std::move(merged.warnings)};
  }
  return std::nullopt;
}

}  // namespace

MergedFiles merge_files(std::span<const fs::path> files, Order order, const std::optional<fs::path>& output) {
  const std::vector<MergeInput> inputs = read_all(files);
  if (auto merged = merge_without_own_output(inputs, order, output)) return std::move(*merged);
  Merged merged = merge(inputs, order);
  const fs::path target = output ? *output : fs::path(merged_name(merged.table));
  for (const MergeInput& input : inputs)
    if (same_file(input.name, target) && input.table != merged.table)
      throw Error(input.name + ": is an input, and would be replaced by the result: name another output");
  return {std::move(merged.table), target, std::move(merged.warnings)};
}

}  // namespace adarun::ranktable
