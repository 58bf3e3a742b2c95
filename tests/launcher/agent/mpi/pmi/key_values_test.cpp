// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "launcher/agent/mpi/pmi/key_values.h"

namespace adarun::launcher::agent::pmi {
namespace {

TEST(PmiKeyValues, ReachTheOtherNodeByTheLinesThatAreNew) {
  KeyValues here(1'000);
  KeyValues there(1'000);
  EXPECT_EQ(here.put("a", "1"), "");
  EXPECT_EQ(here.put("b", "x=y"), "");
  EXPECT_EQ(there.put("c", "3"), "");
  const std::string all = here.take_new() + there.take_new();
  for (KeyValues* each : {&here, &there}) {
    each->add(all);
    ASSERT_NE(each->find("b"), nullptr);
    EXPECT_EQ(*each->find("b"), "x=y");
    EXPECT_EQ(*each->find("c"), "3");
    EXPECT_EQ(each->find("d"), nullptr);
    EXPECT_EQ(each->take_new(), "");
  }
  EXPECT_EQ(here.put("a", "2"), "");
  EXPECT_EQ(here.take_new(), "a=2\n") << "the later value of a key replaces the earlier one";
}

TEST(PmiKeyValues, LeaveOutWhatIsNoPair) {
  KeyValues values(1'000);
  values.add("nothing\n=1\n\na=1\nb=2");
  EXPECT_EQ(*values.find("a"), "1");
  EXPECT_EQ(*values.find("b"), "2");
  EXPECT_EQ(values.find("nothing"), nullptr);
}

TEST(PmiKeyValues, RefuseWhatIsTooMuch) {
  KeyValues values(20);
  EXPECT_EQ(values.put("", "1"), "invalid_key");
  EXPECT_EQ(values.put("a=b", "1"), "invalid_key");
  EXPECT_EQ(values.put(std::string(KeyValues::max_key_bytes + 1, 'k'), ""), "key_too_long");
  EXPECT_EQ(values.put("k", std::string(KeyValues::max_value_bytes + 1, 'v')), "value_too_long");
  EXPECT_EQ(values.put("k", "0123456789"), "");
  EXPECT_EQ(values.put("l", "0123456789"), "too_much_published_on_this_node");
  EXPECT_EQ(values.find("l"), nullptr);
  EXPECT_EQ(values.put("k", "012345678901234"), "") << "what is replaced no longer counts";
  EXPECT_EQ(values.put("m", ""), "too_much_published_on_this_node");
}

}  // namespace
}  // namespace adarun::launcher::agent::pmi
