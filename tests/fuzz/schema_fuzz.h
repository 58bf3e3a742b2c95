// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "ranktable/model/error.h"
#include "ranktable/schemas/schemas.h"
#include "tests/ranktable/round_trip.h"

namespace adarun::ranktable {

/// Whatever JSON the bytes are, the parser of one schema makes a table of it or reports what is wrong; a
/// table is written so that the same parser reads it back unchanged. No field selects the schema here.
template <typename SomeTable>
void fuzz_schema(const std::uint8_t* data, std::size_t size,
                 SomeTable (*parse_schema)(JsonValue, Findings&)) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    Findings findings;
    SomeTable table = parse_schema(Document(text).root(), findings);
    if (!findings.empty()) return;
    ForgetCounts{}(table);
    JsonWriter out(JsonWriter::Format::reference);
    write_table(out, table);
    const std::string written = out.take();
    if (parse_schema(Document(written).root(), findings) != table || !findings.empty()) std::abort();
  } catch (const Error&) {
  }
}

}  // namespace adarun::ranktable
