// SPDX-License-Identifier: Apache-2.0
// Any bytes are a table or an Error; what was read is written so that it is read again.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "ranktable/error.h"
#include "ranktable/parse.h"
#include "ranktable/validate.h"
#include "ranktable/write.h"

namespace rt = adarun::ranktable;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    rt::validate_text(text, "fuzz");
    rt::Table table = rt::parse(text, "fuzz");
    table.wrong_server_count.reset();
    if (rt::parse(rt::write(table), "written") != table) std::abort();
  } catch (const rt::Error&) {
  }
  return 0;
}
