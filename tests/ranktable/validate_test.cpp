// SPDX-License-Identifier: Apache-2.0
#include "ranktable/validate.h"

#include <gtest/gtest.h>

#include "tests/ranktable/good_tables.h"
#include "tests/ranktable/tables.h"

namespace adarun::ranktable {
namespace {

using Lines = std::vector<std::string>;

TEST(Validate, FindsNothingInAGoodTable) {
  EXPECT_EQ(lines(validate(cluster(1, 8))), Lines{});
  EXPECT_EQ(lines(validate(cluster(2, 8), {Profile::hccl, std::nullopt})), Lines{});
  EXPECT_EQ(lines(validate(cluster(2, 8), {Profile::adasum, Generation::ascend910})), Lines{});
  EXPECT_EQ(lines(validate(cluster(1, 16), {Profile::adasum, Generation::a3})), Lines{});
}

TEST(Validate, KnowsTheRulesOfEachGeneration) {
  const struct {
    const char* name;
    Generation generation;
    Table table;
    std::size_t errors;
    std::size_t warnings;
  } cases[] = {
      {"910: 8 + 8", Generation::ascend910, cluster(2, 8), 0, 0},
      {"910: 1", Generation::ascend910, cluster(1, 1), 0, 0},
      {"910: 3", Generation::ascend910, cluster(1, 3), 1, 0},
      {"910: 16, ids too", Generation::ascend910, cluster(1, 16), 2, 0},
      {"A2: 3", Generation::a2, cluster(1, 3), 0, 0},
      {"A2: 16", Generation::a2, cluster(1, 16), 0, 0},
      {"A2: 17, id 16", Generation::a2, cluster(1, 17), 1, 0},
      {"A2: 16 + 16", Generation::a2, cluster(2, 16), 2, 0},
      {"A3: 16 + 16", Generation::a3, cluster(2, 16), 0, 0},
      {"950", Generation::ascend950, cluster(1, 8), 1, 0},
      {"910: plain", Generation::ascend910, plain_cluster(1, 8), 1, 0},
      {"A2: plain, 8 + 8", Generation::a2, plain_cluster(2, 8), 1, 0},
      {"A3: plain, 8 + 8", Generation::a3, plain_cluster(2, 8), 0, 1},
  };
  for (const auto& each : cases) {
    std::size_t errors = 0;
    const auto findings = validate(each.table, {Profile::none, each.generation});
    for (const Finding& finding : findings) errors += finding.severity == Severity::error ? 1 : 0;
    EXPECT_EQ(errors, each.errors) << each.name;
    EXPECT_EQ(findings.size() - errors, each.warnings) << each.name;
  }
}

TEST(Validate, WantsEqualServersOn910AndAdvisesThemLater) {
  Table table = cluster(2, 2);
  table.servers[1].devices.pop_back();
  EXPECT_EQ(
      lines(validate(table, {Profile::none, Generation::ascend910})),
      Lines{"error $.server_list[1].device: Ascend 910: all servers must have the same number of devices, "
            "found 1 here and 2 on the first [EI0014]"});
  EXPECT_EQ(lines(validate(table, {Profile::none, Generation::a3})),
            Lines{"warning $.server_list[1].device: A3: equal numbers of devices on all servers are advised, "
                  "found 1 here and 2 on the first"});
}

TEST(Validate, TakesTheSetsOfCardsThatHcclTakesOn910) {
  const auto valid = [](const std::vector<int>& cards) {
    Table table = cluster(1, static_cast<int>(cards.size()));
    for (std::size_t i = 0; i < cards.size(); ++i) table.servers[0].devices[i].device_id = cards[i];
    return is_valid(validate(table, {Profile::none, Generation::ascend910}));
  };
  for (const std::vector<int>& cards : {std::vector<int>{5},
                                        {0, 3},
                                        {4, 7},
                                        {3, 2, 1, 0},
                                        {4, 5, 6, 7},
                                        {0, 1, 4, 5},
                                        {0, 2, 4, 6},
                                        {0, 3, 4, 7},
                                        {1, 2, 5, 6},
                                        {1, 3, 5, 7},
                                        {2, 3, 6, 7}})
    EXPECT_TRUE(valid(cards)) << cards[0] << cards.back();
  for (const std::vector<int>& cards :
       {std::vector<int>{8}, {0, 4}, {3, 4}, {0, 1, 2, 4}, {0, 1, 6, 7}, {0, 1, 2, 3, 4, 5, 6, 8}})
    EXPECT_FALSE(valid(cards)) << cards[0] << cards.back();
}

TEST(Validate, OnlyWarnsOfRulesOfOneGenerationWhereNoneIsNamed) {
  const auto findings = validate(cluster(1, 3));
  EXPECT_EQ(
      lines(findings),
      Lines{"warning $.server_list[0].device: Ascend 910: a server must have 1, 2, 4 or 8 devices, found 3 "
            "[EI0014]"});
  EXPECT_TRUE(is_valid(findings));
}

TEST(Validate, TakesAPlainTableWithANoteAndNotForHccl) {
  const Table table = plain_cluster(2, 40);
  EXPECT_EQ(
      lines(validate(table)),
      Lines{"note $.server_list: HCCL does not take a table without a device_ip throughout (a plain table) "
            "[EI0014]"});
  EXPECT_FALSE(is_valid(validate(table, {Profile::hccl, std::nullopt})));
  EXPECT_FALSE(is_valid(validate(plain_cluster(1, 8), {Profile::hccl, Generation::ascend910})));
  EXPECT_FALSE(is_valid(validate(plain_cluster(2, 8), {Profile::hccl, Generation::a2})));
  EXPECT_EQ(lines(validate(plain_cluster(1, 8), {Profile::hccl, Generation::a2})),
            Lines{"note $.server_list: HCCL takes a table without any device_ip on a single A2 or A3 server, "
                  "or super "
                  "pod of A3, alone"});
  Table pods = super_pods(1, 2, 8);
  for (Server& server : pods.servers)
    for (Device& device : server.devices) device.device_ip.clear();
  EXPECT_TRUE(is_valid(validate(pods, {Profile::hccl, Generation::a3})));
  EXPECT_FALSE(is_valid(validate(pods, {Profile::hccl, Generation::a2})));
}

TEST(Validate, HoldsTablesForHcclToStatus) {
  Table table = cluster(1, 8);
  table.status = "initializing";
  EXPECT_TRUE(is_valid(validate(table)));
  EXPECT_FALSE(is_valid(validate(table, {Profile::hccl, std::nullopt})));
}

TEST(Validate, ChecksTheNumberOfDevicesForAdasum) {
  const ValidateOptions adasum{Profile::adasum, std::nullopt};
  EXPECT_TRUE(is_valid(validate(cluster(2, 8), adasum)));
  EXPECT_TRUE(is_valid(validate(plain_cluster(4, 4), adasum)));
  const auto findings = validate(plain_cluster(3, 4), adasum);
  EXPECT_EQ(
      lines(findings).back(),
      "error $.server_list: The device_num must be at least 16 and must be the power of 2 when applying "
      "adasum., found 12 devices");
}

TEST(ValidateText, ReportsFormAndValuesAtOnceAndEachPlaceOnce) {
  const std::string text = R"({"version": "1.0", "server_count": "2", "status": "completed", "server_list": [
      {"server_id": "a", "device": [{"device_id": "0", "device_ip": "10.0.0.1", "rank_id": 0},
                                    {"device_id": "0", "device_ip": "-.-.-.-", "rank_id": "1"}]},
      {"device": []}]})";
  EXPECT_EQ(
      lines(validate_text(text, "t.json").findings),
      (Lines{
          "error $.server_list[0].device[0].rank_id: must be a string, found 0 [EI0014]",
          "error $.server_list[1].server_id: must be there [EI0017]",
          "error $.server_list[1].device: a server must have at least one device [EI0014]",
          "error $.server_list[0].device[1].device_id: a device_id must be of one device of its server only, "
          "found \"0\", which $.server_list[0].device[0] has too [EI0014]",
          "error $.server_list[0].device[1].device_ip: device_ip must be an address, not a placeholder, "
          "found \"-.-.-.-\" [EI0014]"}));
}

TEST(ValidateText, SaysOnlyThatItIsNotJsonWhereItIsNot) {
  const auto findings = validate_text("{", "t.json").findings;
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].code, "EI0004");
}

TEST(ValidateText, ThrowsForTheVersionThatIsNotRead) {
  EXPECT_NE(error_of([] { validate_text("{\"version\": \"1.1\"}", "t.json"); }).find("heterogeneous"),
            std::string::npos);
}

TEST(RequireValid, ThrowsTheFirstErrorAndCountsTheOthers) {
  Table table = cluster(1, 8);
  EXPECT_NO_THROW(require_valid(validate(table), "t.json"));
  table.servers[0].devices[0].rank_id = 9;
  EXPECT_EQ(
      error_of([&] { require_valid(validate(table), "t.json"); }),
      "t.json: $.server_list[0].device[0].rank_id: ranks must be 0 to one less than the number of devices, "
      "found \"9\" of 8 devices, while none has rank 0 [EI0014]");
  table.servers[0].devices[1].device_ip = "x";
  EXPECT_NE(error_of([&] { require_valid(validate(table), "t.json"); }).find(" (and 1 more)"),
            std::string::npos);
}

TEST(ValidateText, RefusesMoreThan40MiB) {
  std::string text = two_cards;
  text.resize(std::size_t{40} << 20U, ' ');
  EXPECT_EQ(lines(validate_text(text, "t.json").findings), Lines{});
  text.push_back(' ');
  EXPECT_EQ(lines(validate_text(text, "t.json").findings),
            Lines{"error $: the text must have at most 40 MiB, or 256 MiB of version 2.0, found a larger one "
                  "[EI0004]"});
}

TEST(ValidateText, SaysHowToMendTheForm) {
  for (
      const char* text :
      {"{", "[]", "{}", R"({"version": "3.0"})", R"({"version": "1.0"})",
       R"({"version": "2.0", "rank_list": 1})",
       R"({"version": "1.0", "server_list": [7, {"device": [{"device_id": 0, "rank_id": "x"}]}]})",
       R"({"deploy_mode": "lab", "group_list": [{"instance_list": [{"devices": []}]}], "para_plane_nic_name": [1]})"}) {
    const std::vector<Finding> findings = validate_text(text, "t.json").findings;
    EXPECT_FALSE(findings.empty()) << text;
    for (const Finding& finding : findings) EXPECT_FALSE(finding.mend.empty()) << describe(finding);
  }
}

}  // namespace
}  // namespace adarun::ranktable
