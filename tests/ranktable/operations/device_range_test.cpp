// SPDX-License-Identifier: Apache-2.0
#include "ranktable/operations/device_range.h"

#include <gtest/gtest.h>

#include "tests/ranktable/tables.h"

namespace adarun::ranktable {
namespace {

TEST(DeviceRange, ReadsHalfOpenRanges) {
  const struct {
    const char* text;
    DeviceRange range;
  } cases[] = {{"[0,8)", {0, 8}},   {"[0, 8)", {0, 8}},    {" [ 4 , 8 ) ", {4, 8}},
               {"[0,16)", {0, 16}}, {"[10,12)", {10, 12}}, {"[7,8)", {7, 8}}};
  for (const auto& taken : cases) {
    const ParsedRange parsed = parse_device_range(taken.text);
    EXPECT_EQ(parsed.range, taken.range) << taken.text;
    EXPECT_FALSE(parsed.warning) << taken.text;
  }
}

TEST(DeviceRange, TakesAClosingBracketAsHalfOpenWithAWarning) {
  const ParsedRange parsed = parse_device_range("[0,8]");
  EXPECT_EQ(parsed.range, (DeviceRange{0, 8}));
  EXPECT_EQ(parsed.warning,
            "device_num \"[0,8]\" is taken as \"[0,8)\": the end of the range is not part of it");
}

TEST(DeviceRange, RefusesAnythingElse) {
  const std::string form = "wanted a half-open range like \"[0,8)\"";
  const struct {
    const char* text;
    std::string wanted;
  } cases[] = {{"", form},
               {"8", form},
               {"0,8", form},
               {"(0,8)", form},
               {"[0,8", form},
               {"[0,8)x", form},
               {"[,8)", form},
               {"[0,)", form},
               {"[0,1,2)", form},
               {"[-1,8)", form},
               {"[0,+8)", form},
               {"[00,8)", form},
               {"[0x0,8)", form},
               {"[0 1,8)", form},
               {"[)", form},
               {"[0,99999999999)", form},
               {"[3,3)", "wanted at least one device"},
               {"[5,2)", "wanted at least one device"},
               {"[0,1025)", "wanted ids below 1024"}};
  for (const auto& wrong : cases) {
    const std::string message = error_of([&] { parse_device_range(wrong.text); });
    EXPECT_EQ(message, "device_num \"" + std::string(wrong.text) + "\": " + wrong.wanted);
  }
}

TEST(VisibleDevices, KeepTheirOrder) {
  EXPECT_EQ(parse_visible_devices("4,5,6,7"), (std::vector<int>{4, 5, 6, 7}));
  EXPECT_EQ(parse_visible_devices("1, 0"), (std::vector<int>{1, 0}));
  EXPECT_EQ(parse_visible_devices(" 3 "), (std::vector<int>{3}));
}

TEST(VisibleDevices, RefuseWhatIsNoListOfDistinctIds) {
  for (const char* text : {"", ",", "0,", "0,,1", "0;1", "0-3", "a", "0,1,0", "-1", "01", "[0,1]"})
    EXPECT_NE(error_of([&] { parse_visible_devices(text); }).find("visible_devices: "), std::string::npos)
        << text;
}

TEST(DeviceList, TakesIdsAndRisingRanges) {
  EXPECT_EQ(parse_device_list("0,2, 4-6", "x"), (std::vector<int>{0, 2, 4, 5, 6}));
  EXPECT_EQ(parse_device_list("3-3", "x"), (std::vector<int>{3}));
  EXPECT_EQ(parse_device_list("2147483646-2147483647", "x"), (std::vector<int>{2147483646, 2147483647}));
  for (const char* text : {"3-1", "-", "1-", "-1", "0-3,2", "0-1-2", "0-2147483647", "[0,4)", "0 - 3"})
    EXPECT_EQ(error_of([&] { parse_device_list(text, "x"); }).rfind("x: ", 0), 0U) << text;
}

}  // namespace
}  // namespace adarun::ranktable
