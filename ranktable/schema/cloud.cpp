// SPDX-License-Identifier: Apache-2.0
#include "ranktable/schema/cloud.h"

namespace adarun::ranktable {

std::size_t device_count(const CloudGroup& group) {
  std::size_t count = 0;
  for (const CloudInstance& instance : group.instances) count += instance.devices.size();
  return count;
}

}  // namespace adarun::ranktable
