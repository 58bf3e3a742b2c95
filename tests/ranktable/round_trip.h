// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <variant>

#include "ranktable/schemas/any_table.h"

namespace adarun::ranktable {

/// Clears the counts that a file states, since they are not written; all the rest must be the same after
/// parse(write(table)).
struct ForgetCounts {
  void operator()(Table& table) const { table.wrong_server_count.reset(); }
  void operator()(CloudTable& table) const {
    table.wrong_group_count.reset();
    for (CloudGroup& group : table.groups) {
      group.wrong_instance_count.reset();
      group.wrong_device_count.reset();
    }
  }
  void operator()(LabTable& table) const {
    table.wrong_group_count.reset();
    table.wrong_nic_num.reset();
    for (LabGroup& group : table.groups) {
      group.wrong_device_num.reset();
      group.wrong_server_num.reset();
      group.wrong_instance_count.reset();
    }
  }
  void operator()(RankListTable& table) const { table.wrong_rank_count.reset(); }
  void operator()(ServerGroupTable& table) const {
    for (ServerGroup& group : table.groups) group.wrong_server_count.reset();
  }
};

inline AnyTable without_counts(AnyTable table) {
  std::visit(ForgetCounts{}, table);
  return table;
}

}  // namespace adarun::ranktable
