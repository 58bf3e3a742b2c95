// SPDX-License-Identifier: Apache-2.0
// Any table is converted to each schema with every card at its rank, or refused; a converted table is written
// and read back unchanged. A subset of everything is the table with its ranks renumbered without gaps.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "ranktable/model/error.h"
#include "ranktable/operations/convert.h"
#include "ranktable/operations/diff.h"
#include "ranktable/operations/subset.h"
#include "ranktable/parse.h"
#include "ranktable/write.h"
#include "tests/fuzz/fuzz_target.h"

namespace rt = adarun::ranktable;

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

void convert_or_refuse(const rt::AnyTable& table, rt::Schema to) {
  try {
    const rt::AnyTable result = rt::convert(table, to).table;
    require(rt::schema_of(result) == to);
    const rt::Diff diff = rt::diff(rt::ranks_of(table), rt::ranks_of(result));
    require(diff.removed.empty() && diff.added.empty() && diff.moved.empty() && diff.address_changed.empty());
    if (rt::schema_of(table) != to) require(rt::parse_any(rt::write(result), "result") == result);
  } catch (const rt::Error&) {
  }
}

}  // namespace

FUZZ_TARGET(conversion) {
  try {
    const rt::AnyTable table = rt::parse_any({reinterpret_cast<const char*>(data), size}, "fuzz");
    for (const rt::Schema to : {rt::Schema::v1_0, rt::Schema::v1_2, rt::Schema::v2_0, rt::Schema::cloud,
                                rt::Schema::lab, rt::Schema::server_group})
      convert_or_refuse(table, to);
    const rt::Table all = rt::ranks_of(rt::subset(table, {}));
    require(rt::device_count(all) == rt::device_count(rt::ranks_of(table)));
  } catch (const rt::Error&) {
  }
  return 0;
}
