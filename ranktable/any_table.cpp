// SPDX-License-Identifier: Apache-2.0
#include "ranktable/any_table.h"

namespace adarun::ranktable {

std::string_view name(Schema schema) {
  switch (schema) {
    case Schema::v1_0:
      return "1.0";
    case Schema::v1_2:
      return "1.2";
    case Schema::v2_0:
      return "2.0";
    case Schema::cloud:
      return "cloud";
    case Schema::lab:
      return "lab";
  }
  return "";
}

Schema schema_of(const AnyTable& table) {
  if (const auto* v1 = std::get_if<Table>(&table)) return v1->version == "1.2" ? Schema::v1_2 : Schema::v1_0;
  if (std::holds_alternative<CloudTable>(table)) return Schema::cloud;
  return std::holds_alternative<LabTable>(table) ? Schema::lab : Schema::v2_0;
}

}  // namespace adarun::ranktable
