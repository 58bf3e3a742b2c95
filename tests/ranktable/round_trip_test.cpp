// SPDX-License-Identifier: Apache-2.0
// Written tables are read back unchanged, for every schema.
#include <gtest/gtest.h>

#include "ranktable/parse.h"
#include "ranktable/write.h"
#include "tests/ranktable/random_tables.h"

namespace adarun::ranktable {
namespace {

constexpr unsigned seed = 20;
constexpr int tables_per_schema = 500;

TEST(RoundTrip, GivesBackAnyTableOfAnySchema) {
  for (const Schema schema : all_schemas) {
    RandomTables random(seed);
    for (int i = 0; i < tables_per_schema; ++i) {
      const AnyTable table = random.next(schema);
      const std::string text = write(table);
      const AnyTable again = parse_any(text, "written");
      ASSERT_TRUE(again == table) << name(schema) << ", seed " << seed << ", table " << i << ":\n" << text;
      ASSERT_EQ(write(again), text);
    }
  }
}

}  // namespace
}  // namespace adarun::ranktable
