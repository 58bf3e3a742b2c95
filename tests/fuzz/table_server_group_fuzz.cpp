// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/fuzz_target.h"
#include "tests/fuzz/schema_fuzz.h"

namespace rt = adarun::ranktable;

FUZZ_TARGET(table_server_group) {
  rt::fuzz_schema<rt::ServerGroupTable>(data, size);
  return 0;
}
