// SPDX-License-Identifier: Apache-2.0
#include "ranktable/convert.h"
#include "ranktable/convert/conversions.h"

namespace adarun::ranktable {
namespace {

struct ToRanks {
  Table operator()(const Table& table) const { return table; }
  Table operator()(const CloudTable& table) const { return from_cloud(table); }
  Table operator()(const LabTable& table) const { return from_lab(table); }
  Table operator()(const RankListTable& table) const { return from_rank_list(table); }
};

}  // namespace

Table ranks_of(const AnyTable& table) {
  return std::visit(ToRanks{}, table);
}

}  // namespace adarun::ranktable
