// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "ranktable/model/table.h"

namespace adarun::ranktable {

/// Which devices stay in a subset of a table, and their new ranks: from 0, in the order of the old ones.
class KeptDevices {
 public:
  /// Keeps the devices of `ranks` that are on one of the servers and have one of the ids; an empty list means
  /// all.
  KeptDevices(const Table& ranks, const std::vector<std::string>& server_ids,
              const std::vector<int>& device_ids);

  bool has(const std::string& server_id) const;
  bool has(const std::string& server_id, int device_id) const;

  /// The new rank of `rank`, which must be kept.
  int new_rank(int rank) const { return new_ranks_.at(rank); }

 private:
  std::set<std::string> servers_;
  std::set<int> devices_;
  std::map<int, int> new_ranks_;
};

/// Removes the items for which `keep` is false.
template <typename Items, typename Keep>
void keep_if(Items& items, Keep keep) {
  items.erase(std::remove_if(items.begin(), items.end(), [&keep](const auto& item) { return !keep(item); }),
              items.end());
}

}  // namespace adarun::ranktable
