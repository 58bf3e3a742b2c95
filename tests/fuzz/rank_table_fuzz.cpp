// SPDX-License-Identifier: Apache-2.0
// Any bytes are a table of some schema or an Error; a table that was read can be written and read again.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "ranktable/model/error.h"
#include "ranktable/model/server_name.h"
#include "ranktable/parse.h"
#include "ranktable/validate.h"
#include "ranktable/write.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/ranktable/round_trip.h"

namespace rt = adarun::ranktable;

FUZZ_TARGET(rank_table) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    const rt::AnyTable table = rt::without_counts(rt::parse_any(text, "fuzz"));
    if (rt::parse_any(rt::write(table), "written") != table) std::abort();
    const rt::Table ranks = rt::parse(text, "fuzz");
    if (rt::is_valid(rt::validate_text(text, "fuzz").findings))
      for (const rt::Server& server : ranks.servers)
        if (!rt::is_server_name(server.server_id)) std::abort();
  } catch (const rt::Error&) {
  }
  return 0;
}
