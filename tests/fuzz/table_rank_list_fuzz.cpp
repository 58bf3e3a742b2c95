// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/fuzz_target.h"
#include "tests/fuzz/schema_fuzz.h"

namespace rt = adarun::ranktable;

FUZZ_TARGET(table_rank_list) {
  rt::fuzz_schema<rt::RankListTable>(data, size);
  return 0;
}
