// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ranktable/model/table.h"

namespace adarun::ranktable {

/// Values that a conversion adds by itself, one line each.
using Additions = std::vector<std::string>;

/// Throws Error on a server_id that HCCL does not accept.
void require_server_ids(const Table& table);

/// Groups devices, added one by one, by server.
class TableBuilder {
 public:
  /// Adds a device to its server; a new server is added at the end. True if the server is new.
  bool add(const std::string& server_id, Device device);

  Table take() { return std::move(table_); }

 private:
  Table table_;
  std::unordered_map<std::string, std::size_t> places_;
};

}  // namespace adarun::ranktable
