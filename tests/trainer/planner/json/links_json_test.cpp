// SPDX-License-Identifier: Apache-2.0
#include "trainer/planner/json/links_json.h"

#include <gtest/gtest.h>

#include "tests/trainer/refusal.h"

namespace adarun::planner {
namespace {

using trainer::testing_data::refusal;

std::string links_message(const std::string& text) {
  return refusal<Error>([&] { read_links(text, "costs.json"); });
}

std::string one_level(const std::string& rest) {
  return R"({"schema": "adarun-links-1", "levels": [{"name": "node", )" + rest + "}]}";
}

TEST(LinksJson, IsReadAsItWasWritten) {
  MeasuredLinks links = typical_links();
  EXPECT_EQ(read_links(write_links(links), "costs.json"), links);
  links.operations_per_s = 2.5e9;
  EXPECT_EQ(read_links(write_links(links), "costs.json"), links);
}

TEST(LinksJson, IsRefusedWithMissingOrAbsurdCosts) {
  EXPECT_EQ(links_message(one_level(R"("message_s": 1e-6, "shared": false)")),
            "costs.json: levels[0]: byte_s is missing");
  EXPECT_EQ(links_message(one_level(R"("message_s": 60, "byte_s": 1e-9, "shared": false)")),
            "costs.json: levels[0]: message_s: 60: not a number from 0.0 to 10.0");
  EXPECT_EQ(links_message(one_level(R"("message_s": 1e-6, "byte_s": -1e-9, "shared": false)")),
            "costs.json: levels[0]: byte_s: -1e-09: not a number from 0.0 to 0.01");
  EXPECT_EQ(links_message(one_level(R"("message_s": 1e-6, "byte_s": 1e-9, "shared": 1)")),
            "costs.json: levels[0]: shared: 1: not true or false");
  EXPECT_EQ(links_message(R"({"schema": "adarun-links-1", "levels": [], "operations_per_s": 0})"),
            "costs.json: operations_per_s: 0: not a number from 1000.0 to 1e+18");
  EXPECT_EQ(links_message(R"({"schema": "adarun-links-1", "levels": [
      {"name": "node", "message_s": 0, "byte_s": 0, "shared": false},
      {"name": "node", "message_s": 0, "byte_s": 0, "shared": false}]})"),
            "costs.json: levels[1]: name: \"node\": there are two");
}

}  // namespace
}  // namespace adarun::planner
