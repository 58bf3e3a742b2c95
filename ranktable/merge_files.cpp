// SPDX-License-Identifier: Apache-2.0
#include "ranktable/merge_files.h"

#include <sys/stat.h>

#include <algorithm>
#include <map>
#include <utility>

#include "ranktable/model/error.h"
#include "ranktable/operations/merge.h"
#include "ranktable/parse.h"

namespace adarun::ranktable {
namespace {

namespace fs = std::filesystem;

// Device and inode: equal for two names of one file.
using FileIdentity = std::pair<dev_t, ino_t>;

// The identity of the file that a name refers to, through symbolic links; nothing if it does not exist.
std::optional<FileIdentity> identity_of(const std::string& file) {
  struct stat status {};
  if (::stat(file.c_str(), &status) != 0) return std::nullopt;
  return FileIdentity{status.st_dev, status.st_ino};
}

// The inputs and the identities of their files.
struct Inputs {
  std::vector<MergeInput> tables;
  std::vector<std::optional<FileIdentity>> files;
};

Inputs read_all(std::span<const fs::path> files) {
  Inputs inputs;
  std::map<FileIdentity, std::string> seen;
  for (const fs::path& file : files) {
    inputs.tables.push_back({file.string(), table_to_merge(read_any(file), file.string())});
    inputs.files.push_back(identity_of(file.string()));
    if (!inputs.files.back()) continue;
    const auto [before, is_new] = seen.emplace(*inputs.files.back(), file.string());
    if (!is_new) throw Error(before->second + " and " + file.string() + ": are the same file");
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

// Whether the other tables of `inputs` contain all servers of the table at `index`.
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

// Merges without the input that an earlier run of this merge has written; nothing if there is no such input.
std::optional<MergedFiles> merge_without_own_output(const Inputs& inputs, Order order,
                                                    const std::optional<fs::path>& output) {
  for (std::size_t i = 0; i < inputs.tables.size(); ++i) {
    const std::string own_name = output ? output->string() : merged_name(inputs.tables[i].table);
    if (!inputs.files[i] || inputs.files[i] != identity_of(own_name)) continue;
    if (!covered_by_others(inputs.tables, i)) continue;
    std::vector<MergeInput> rest = inputs.tables;
    rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(i));
    Merged merged = merge(rest, order);
    if (!output && merged_name(merged.table) != own_name) continue;
    merged.warnings.push_back(inputs.tables[i].name +
                              ": is the result of an earlier merge of the others: left out");
    return MergedFiles{std::move(merged.table), own_name, std::move(merged.warnings)};
  }
  return std::nullopt;
}

}  // namespace

MergedFiles merge_files(std::span<const fs::path> files, Order order, const std::optional<fs::path>& output,
                        MergeTarget target) {
  const Inputs inputs = read_all(files);
  if (auto merged = merge_without_own_output(inputs, order, output)) return std::move(*merged);
  Merged merged = merge(inputs.tables, order);
  const fs::path file = output ? *output : fs::path(merged_name(merged.table));
  const auto replaced = std::find(inputs.files.begin(), inputs.files.end(), identity_of(file.string()));
  if (target == MergeTarget::file && replaced != inputs.files.end() && *replaced) {
    const MergeInput& input = inputs.tables[static_cast<std::size_t>(replaced - inputs.files.begin())];
    if (input.table != merged.table)
      throw Error(input.name + ": is an input, and would be replaced by the result: name another output");
  }
  return {std::move(merged.table), file, std::move(merged.warnings)};
}

}  // namespace adarun::ranktable
