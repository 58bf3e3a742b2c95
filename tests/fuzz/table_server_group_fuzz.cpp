// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/schema_fuzz.h"

namespace rt = adarun::ranktable;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  rt::fuzz_schema(data, size, rt::parse_server_group);
  return 0;
}
