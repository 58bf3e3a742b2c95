// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "ranktable/json/field_reader.h"
#include "ranktable/json/writer.h"
#include "ranktable/model/error.h"
#include "ranktable/schemas/schemas.h"
#include "tests/ranktable/round_trip.h"

namespace adarun::ranktable {

/// Whatever JSON the bytes are, a table of one schema is read from it or what is wrong is reported; a
/// table is written so that it is read back unchanged. No field selects the schema here.
template <typename SomeTable>
void fuzz_schema(const std::uint8_t* data, std::size_t size) {
  const auto read = [](JsonValue root, Findings& findings) {
    return FieldReader::read<SomeTable>(root, Path(), findings);
  };
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    Findings findings;
    SomeTable table = read(Document(text).root(), findings);
    if (!findings.empty()) return;
    ForgetCounts{}(table);
    JsonWriter out(JsonWriter::Format::reference);
    out.record(table);
    const std::string written = out.take();
    if (read(Document(written).root(), findings) != table || !findings.empty()) std::abort();
  } catch (const Error&) {
  }
}

}  // namespace adarun::ranktable
