// SPDX-License-Identifier: Apache-2.0
// Tables of version 2.0.
#include "ranktable/schemas/rank_list/schema.h"

#include <gtest/gtest.h>

#include "ranktable/parse.h"
#include "ranktable/write.h"
#include "tests/ranktable/schema_texts.h"

namespace adarun::ranktable {
namespace {

RankListTable parse_rank_list_text(const std::string& text) {
  return std::get<RankListTable>(parse_any(text, "t"));
}

TEST(ParseRankList, ReadsRanksLayersAndAddresses) {
  RankEntry rank{0, 3, 2, 16666, 60001, {}};
  rank.layers = {{0,
                  "az0-rack0",
                  "TOPO_FILE_DESC",
                  "",
                  {{"EID", "000000000000000000100000dfdf0020", {"0/4", "0/5"}, "plane0"}}},
                 {3, "cluster", {}, {}, {{"IPV4", "192.168.100.101", {"d2h"}}}}};
  rank.extras = {{"control_plane", R"({"addr_type":"IPV4","addr":"192.168.100.100","listen_port":8000})"}};
  RankListTable wanted{{rank}, "completed", {{"detour", "\"true\""}}};
  EXPECT_EQ(parse_rank_list_text(rank_list_text), wanted);
  EXPECT_EQ(write(AnyTable(wanted)), rank_list_text);
}

TEST(ParseRankList, TakesWhatTheSchemaAllows) {
  const Edit edits[] = {
      {"\"status\": \"completed\",", ""},
      {"\"device_port\": 16666,", ""},
      {"\"host_port\": 60001,", ""},
      {"\"net_attr\": \"\",", ""},
      {"\"rank_id\": 0", "\"rank_id\": 2147483647"},
      {"\"local_id\": 3", "\"local_id\": 64, \"replaced_local_id\": 2"},
      {"\"addr_type\": \"EID\"", "\"addr_type\": \"\""},
      {"\"level_list\": [", "\"level_list\": [], \"x\": ["},
      {"\"0/4\",", ""},
  };
  expect_taken(rank_list_text, edits);
}

TEST(ParseRankList, RefusesWhatIsNotTheSchema) {
  const Edit edits[] = {
      {"\"status\": \"completed\"", "\"status\": 1", "$.status: must be a string, found 1 [EI0014]"},
      {"\"rank_count\": 1", "\"rank_count\": \"1\"",
       "$.rank_count: must be an integer from 0 to 2147483647, found \"1\" [EI0014]"},
      {"\"rank_count\"", "\"count\"", "$.rank_count: must be there [EI0017]"},
      {"\"rank_id\": 0", "\"rank_id\": \"0\"",
       "$.rank_list[0].rank_id: must be an integer from 0 to 2147483647, found \"0\" [EI0014]"},
      {"\"rank_id\": 0", "\"rank_id\": -0",
       "$.rank_list[0].rank_id: must be an integer from 0 to 2147483647, found -0 [EI0014]"},
      {"\"rank_id\": 0", "\"rank_id\": 0.0",
       "$.rank_list[0].rank_id: must be an integer from 0 to 2147483647, found 0.0 [EI0014]"},
      {"\"local_id\": 3", "\"local_id\": 1e1",
       "$.rank_list[0].local_id: must be an integer from 0 to 2147483647, found 1e1 [EI0014]"},
      {"\"device_id\": 2", "\"device_id\": 2147483648",
       "$.rank_list[0].device_id: must be an integer from 0 to 2147483647, found 2147483648 [EI0014]"},
      {"\"device_port\": 16666", "\"device_port\": null",
       "$.rank_list[0].device_port: must be an integer from 0 to 2147483647, found null [EI0014]"},
      {"\"host_port\": 60001", "\"host_port\": -1",
       "$.rank_list[0].host_port: must be an integer from 0 to 2147483647, found -1 [EI0014]"},
      {"\"level_list\"", "\"levels\"", "$.rank_list[0].level_list: must be there [EI0017]"},
      {"\"net_instance_id\": \"cluster\"", "\"net_instance_id\": 1",
       "$.rank_list[0].level_list[1].net_instance_id: must be a string, found 1 [EI0014]"},
      {"\"net_type\": \"TOPO_FILE_DESC\"", "\"net_type\": null",
       "$.rank_list[0].level_list[0].net_type: must be a string, found null [EI0014]"},
      {"\"addr\"", "\"address\"",
       "$.rank_list[0].level_list[0].rank_addr_list[0].addr: must be there [EI0017]"},
      {"\"0/5\"", "5",
       "$.rank_list[0].level_list[0].rank_addr_list[0].ports[1]: must be a string, found 5 [EI0014]"},
      {"\"ports\": [", "\"ports\": \"0/4\", \"x\": [",
       "$.rank_list[0].level_list[0].rank_addr_list[0].ports: must be an array, found \"0/4\" [EI0004]"},
      {"\"plane_id\": \"plane0\"", "\"plane_id\": 0",
       "$.rank_list[0].level_list[0].rank_addr_list[0].plane_id: must be a string, found 0 [EI0014]"},
  };
  expect_refused(rank_list_text, edits);
}

TEST(ParseRankList, RemembersARankCountThatIsWrong) {
  const RankListTable table =
      parse_rank_list_text(apply(rank_list_text, {"\"rank_count\": 1", "\"rank_count\": 4"}));
  EXPECT_EQ(table.wrong_rank_count, 4);
  EXPECT_EQ(write(AnyTable(table)), rank_list_text);
}

TEST(ExamineAny, ReadsOnBehindErrors) {
  const ExaminedAny examined =
      examine_any(apply(rank_list_text, {"\"rank_id\": 0", "\"rank_id\": true"}), "t");
  ASSERT_EQ(examined.findings.size(), 1U);
  const RankEntry& rank = std::get<RankListTable>(examined.table).ranks.at(0);
  EXPECT_EQ(rank.rank_id, -1);
  EXPECT_EQ(rank.local_id, 3);
}

TEST(ParseRankList, TakesMoreTextThanTheOtherSchemas) {
  std::string text = rank_list_text;
  text.resize(max_text_bytes + 1, ' ');
  EXPECT_EQ(parse_rank_list_text(text), parse_rank_list_text(rank_list_text));
  text.resize(max_rank_list_text_bytes + 1, ' ');
  EXPECT_NE(error_of([&] { parse_any(text, "t.json"); }).find("or 256 MiB of version 2.0"),
            std::string::npos);
}

}  // namespace
}  // namespace adarun::ranktable
