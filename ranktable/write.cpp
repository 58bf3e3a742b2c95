// SPDX-License-Identifier: Apache-2.0
#include "ranktable/write.h"

#include "ranktable/schema/writers.h"

namespace adarun::ranktable {
namespace {

template <typename SomeTable>
std::string written(void (*write_table)(Writer&, const SomeTable&), const SomeTable& table) {
  Writer out(Writer::Layout::reference);
  write_table(out, table);
  return out.take();
}

}  // namespace

std::string write(const Table& table) {
  return written(write_v1, table);
}

std::string write(const AnyTable& table) {
  struct Write {
    std::string operator()(const Table& v1) const { return written(write_v1, v1); }
    std::string operator()(const CloudTable& cloud) const { return written(write_cloud, cloud); }
    std::string operator()(const LabTable& lab) const { return written(write_lab, lab); }
    std::string operator()(const RankListTable& ranks) const { return written(write_rank_list, ranks); }
  };
  return std::visit(Write{}, table);
}

}  // namespace adarun::ranktable
