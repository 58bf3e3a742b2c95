// SPDX-License-Identifier: Apache-2.0
#include "ranktable/rules/adasum_rule.h"

#include <bit>

#include "ranktable/rules/rules.h"

namespace adarun::ranktable {

std::optional<std::string> adasum_refusal(std::size_t world_size) {
  if (world_size >= 16 && std::has_single_bit(world_size)) return std::nullopt;
  return "The device_num must be at least 16 and must be the power of 2 when applying adasum.";
}

void check_profile(const DeviceIndex& index, const ValidateOptions& options, Findings& findings) {
  if (options.profile != Profile::adasum) return;
  if (const auto refusal = adasum_refusal(index.entries.size()))
    report(findings,
           {*refusal, "", "take 16, 32, 64, ... devices; for an experiment: adarun train --adasum-world any"},
           index.root_path(), std::to_string(index.entries.size()) + " devices");
}

}  // namespace adarun::ranktable
