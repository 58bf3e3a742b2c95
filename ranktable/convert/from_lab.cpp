// SPDX-License-Identifier: Apache-2.0
#include "ranktable/convert/conversions.h"
#include "ranktable/convert/table_builder.h"

namespace adarun::ranktable {

Table from_lab(const LabTable& table) {
  TableBuilder builder;
  for (const LabGroup& group : table.groups)
    for (const LabInstance& instance : group.instances)
      builder.add(instance.server_id, {instance.device_id, instance.device_ip, instance.rank_id});
  Table result = builder.take();
  result.status = table.status;
  return result;
}

}  // namespace adarun::ranktable
