// SPDX-License-Identifier: Apache-2.0
#include "ranktable/schema/lab.h"

#include <set>
#include <string_view>

namespace adarun::ranktable {

std::size_t server_count(const LabGroup& group) {
  std::set<std::string_view> servers;
  for (const LabInstance& instance : group.instances) servers.insert(instance.server_id);
  return servers.size();
}

}  // namespace adarun::ranktable
