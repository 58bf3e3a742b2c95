// SPDX-License-Identifier: Apache-2.0
#include "launcher/agent/mpi/pmix/published_values.h"

#include <gtest/gtest.h>

#include <array>
#include <cstring>

namespace adarun::launcher::agent::pmix {
namespace {

pmix_value_t text_value(char* text) {
  pmix_value_t value{};
  value.type = PMIX_STRING;
  value.data.string = text;
  return value;
}

TEST(PublishedValues, ComeBackAsTheyWere) {
  std::array<char, 5> text{"port"};
  std::array<char, 3> bytes{'a', '\0', 'b'};
  pmix_value_t object{};
  object.type = PMIX_BYTE_OBJECT;
  object.data.bo = {bytes.data(), bytes.size()};
  pmix_value_t number{};
  number.type = PMIX_DOUBLE;
  number.data.dval = 2.5;
  std::vector<protocol::PublishedName> names;
  for (const pmix_value_t& value : {text_value(text.data()), object, number})
    names.push_back({"key", bytes_of(value).value(), 7});
  FoundValues found("job", names);
  ASSERT_EQ(found.size(), 3U);
  EXPECT_STREQ(found.data()[0].key, "key");
  EXPECT_STREQ(found.data()[0].proc.nspace, "job");
  EXPECT_EQ(found.data()[0].proc.rank, 7U);
  EXPECT_STREQ(found.data()[0].value.data.string, "port");
  ASSERT_EQ(found.data()[1].value.data.bo.size, bytes.size());
  EXPECT_EQ(std::memcmp(found.data()[1].value.data.bo.bytes, bytes.data(), bytes.size()), 0);
  EXPECT_EQ(found.data()[2].value.data.dval, 2.5);
}

TEST(PublishedValues, OfTypesThatPointToOthersAreNone) {
  pmix_value_t value{};
  for (const pmix_data_type_t type : {PMIX_DATA_ARRAY, PMIX_PROC, PMIX_ENVAR, PMIX_UNDEF}) {
    value.type = type;
    EXPECT_FALSE(bytes_of(value)) << type;
  }
}

TEST(PublishedValues, OfAnotherNodeMayBeAnything) {
  const auto of_type = [](pmix_data_type_t type, const std::string& bytes) {
    return std::string(reinterpret_cast<const char*>(&type), sizeof type) + bytes;
  };
  const std::vector<protocol::PublishedName> names{
      {"a", "", 0},
      {"a", "x", 0},
      {"a", of_type(PMIX_DATA_ARRAY, std::string(8, 'x')), 0},
      {"a", of_type(PMIX_INT64, "short"), 0},
      {"a", of_type(PMIX_STRING, std::string("a\0b", 3)), 0},
      {std::string(PMIX_MAX_KEYLEN + 1, 'k'), of_type(PMIX_STRING, "b"), 0},
      {"b", of_type(PMIX_BYTE_OBJECT, ""), 0}};
  FoundValues found("job", names);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_STREQ(found.data()[0].key, "b");
  EXPECT_EQ(found.data()[0].value.data.bo.size, 0U);
}

}  // namespace
}  // namespace adarun::launcher::agent::pmix
