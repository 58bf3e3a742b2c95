// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>

#include "ranktable/rules/rules.h"

namespace adarun::ranktable {
namespace {

constexpr Rule rank_is_unique{
    "a rank must be of one device only", "EI0014",
    "give every device a rank_id of its own; adarun ranktable merge numbers them anew"};
constexpr Rule ranks_are_contiguous{
    "ranks must be 0 to one less than the number of devices", "EI0014",
    "number the devices 0, 1, 2, ... without a gap; adarun ranktable merge does so"};
constexpr Rule ranks_are_together{
    "ranks of a server must follow one another, without those of another server between them", "EI0014",
    "give the devices of each server consecutive ranks; adarun ranktable merge does so"};

// merge does not take tables of groups.
constexpr Rule group_rank_is_unique{
    "a rank must be of one device of its group only", "EI0014",
    "give every device of the group a rank_id of its own, or make groups anew of the table of all ranks: "
    "adarun ranktable convert --to server_group --role prefill=0-7 ..."};
constexpr Rule group_ranks_are_contiguous{
    "ranks of a group must be 0 to one less than the number of its devices", "EI0014",
    "number the devices of the group 0, 1, 2, ... without a gap, or those of each server"};
constexpr Rule group_ranks_are_together{
    "ranks of a server in a group must follow one another, without those of another server between them",
    "EI0014", "give the devices of each server in the group consecutive ranks"};

// The rules of all ranks of a table, or of each group.
struct RankRules {
  const Rule& is_unique;
  const Rule& are_contiguous;
  const Rule& are_together;
};

RankRules rules_for(const DeviceIndex& index) {
  if (index.form->ranks_are_of_groups)
    return {group_rank_is_unique, group_ranks_are_contiguous, group_ranks_are_together};
  return {rank_is_unique, ranks_are_contiguous, ranks_are_together};
}

constexpr std::uint32_t nobody = UINT32_MAX;

// The entry of each rank, `nobody` if there is none; reports repeated ranks.
std::vector<std::uint32_t> entries_by_rank(const DeviceIndex& index, Findings& findings) {
  std::vector<std::uint32_t> holders(index.entries.size(), nobody);
  for (std::uint32_t i = 0; i < index.entries.size(); ++i) {
    const DeviceEntry& entry = index.entries[i];
    if (entry.rank_id < 0 || static_cast<std::size_t>(entry.rank_id) >= holders.size()) continue;
    std::uint32_t& holder = holders[static_cast<std::size_t>(entry.rank_id)];
    if (holder == nobody)
      holder = i;
    else
      report(findings, rules_for(index).is_unique, index.rank_path(entry),
             index.shown(entry.rank_id) + ", which " + index.path(index.entries[holder]) + " has too");
  }
  return holders;
}

void check_contiguous(const DeviceIndex& index, const std::vector<std::uint32_t>& holders,
                      Findings& findings) {
  const auto gap = std::find(holders.begin(), holders.end(), nobody) - holders.begin();
  for (const DeviceEntry& entry : index.entries)
    if (entry.rank_id >= 0 && static_cast<std::size_t>(entry.rank_id) >= holders.size())
      report(findings, rules_for(index).are_contiguous, index.rank_path(entry),
             index.shown(entry.rank_id) + " of " + std::to_string(holders.size()) +
                 " devices, while none has rank " + std::to_string(gap));
}

void check_together(const DeviceIndex& index, const std::vector<std::uint32_t>& holders, Findings& findings) {
  std::vector<bool> left(index.servers, false);
  const DeviceEntry* before = nullptr;
  for (const std::uint32_t holder : holders) {
    if (holder == nobody) continue;
    const DeviceEntry& entry = index.entries[holder];
    if (before != nullptr && before->server != entry.server) {
      left[before->server] = true;
      if (left[entry.server])
        report(findings, rules_for(index).are_together, index.rank_path(entry), index.shown(entry.rank_id));
    }
    before = &entry;
  }
}

}  // namespace

void check_ranks(const DeviceIndex& index, Findings& findings) {
  const std::vector<std::uint32_t> holders = entries_by_rank(index, findings);
  check_contiguous(index, holders, findings);
  check_together(index, holders, findings);
}

}  // namespace adarun::ranktable
