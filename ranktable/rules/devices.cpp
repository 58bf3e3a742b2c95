// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <unordered_map>

#include "ranktable/rules/rules.h"

namespace adarun::ranktable {
namespace {

constexpr Rule id_is_unique{"a device_id must be of one device of its server only", "EI0014",
                            "write each card's own physical id, as npu-smi info lists them"};

struct Limit {
  int largest;
  Rule rule;
};

// 31 is the largest of any generation with tables of version 1.x (310P); group lists know eight cards alone.
constexpr Limit limit_1{31,
                        {"device_id must be 0 to 31", "EI0014",
                         "write the physical id of the card, as npu-smi info lists them, not its rank"}};
constexpr Limit limit_groups{
    7,
    {"device_id must be 0 to 7 in a group_list table", "EI0014",
     "write the physical id of the card, as npu-smi info lists them; servers with more "
     "cards need version 1.0 or later: adarun ranktable convert --to 1.0"}};

}  // namespace

void check_device_ids(const Roster& roster, Findings& findings) {
  const bool plain = is_plain(roster);
  const bool grouped = roster.schema == Schema::cloud || roster.schema == Schema::lab;
  const Limit& limit = grouped ? limit_groups : limit_1;
  std::unordered_map<std::uint64_t, const Entry*> holders;
  holders.reserve(roster.entries.size());
  for (const Entry& entry : roster.entries) {
    if (entry.device_id < 0) continue;
    if (!plain && entry.device_id > limit.largest)
      report(findings, limit.rule, roster.path(entry, "device_id"), roster.shown(entry.device_id));
    const auto id = static_cast<std::uint64_t>(entry.device_id);
    const auto [holder, is_new] = holders.emplace(std::uint64_t{entry.server} << 32U | id, &entry);
    if (!is_new)
      report(findings, id_is_unique, roster.path(entry, "device_id"),
             roster.shown(entry.device_id) + ", which " + roster.path(*holder->second) + " has too");
  }
}

}  // namespace adarun::ranktable
