// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <unordered_map>

#include "ranktable/rules/rules.h"

namespace adarun::ranktable {
namespace {

constexpr Rule id_is_unique{"a device_id must be of one device of its server only", "EI0014",
                            "write each card's own physical id, as npu-smi info lists them"};

}  // namespace

void check_device_ids(const DeviceIndex& index, Findings& findings) {
  const bool plain = is_plain(index);
  const DeviceIdLimit& limit = index.form->device_ids;
  std::unordered_map<std::uint64_t, const DeviceEntry*> holders;
  holders.reserve(index.entries.size());
  for (const DeviceEntry& entry : index.entries) {
    if (entry.device_id < 0) continue;
    if (!plain && entry.device_id > limit.largest)
      report(findings, limit.rule, index.path(entry, "device_id"), index.shown(entry.device_id));
    const auto id = static_cast<std::uint64_t>(entry.device_id);
    const auto [holder, is_new] = holders.emplace(std::uint64_t{entry.server} << 32U | id, &entry);
    if (!is_new)
      report(findings, id_is_unique, index.path(entry, "device_id"),
             index.shown(entry.device_id) + ", which " + index.path(*holder->second) + " has too");
  }
}

}  // namespace adarun::ranktable
