// SPDX-License-Identifier: Apache-2.0
// Tables with groups of ranks, by the built program.
#include <gtest/gtest.h>

#include "ranktable/parse.h"
#include "ranktable/schemas/server_group/schema.h"
#include "ranktable/write.h"
#include "tests/cli/commands/ranktable/ranktable_command.h"
#include "tests/ranktable/good_tables.h"

namespace adarun::ranktable {
namespace {

// Two servers of two cards, a group on each; and the same without groups.
class ServerGroups : public RanktableCommand {
 protected:
  ServerGroups() {
    write_file("groups.json", write(server_group(2, 2)));
    write_file("table.json", write(cluster(2, 2)));
  }
};

TEST_F(ServerGroups, GenMakesThemOfRoles) {
  const Outcome done = run({"gen", "--plain", "--hosts", "10.0.0.[1-2]:2", "--role", "decode=2-3", "--role",
                            "prefill=0-1", "--router", "10.0.0.9"});
  EXPECT_EQ(done.status, 0) << done.err;
  EXPECT_EQ(done.err, "adarun: wrote global_ranktable.json\n");
  const ServerGroupTable table = std::get<ServerGroupTable>(read_any("global_ranktable.json"));
  ASSERT_EQ(table.groups.size(), 3U);
  EXPECT_EQ(table.groups[0].servers.at(0).server_ip, "10.0.0.9");
  EXPECT_EQ(table.groups[1].group_id, "1");
  EXPECT_EQ(table.groups[1].servers.at(0).server_id, "10.0.0.1");
  EXPECT_EQ(table.groups[2].servers.at(0).devices.at(1).rank_id, 1);
}

TEST_F(ServerGroups, GenMakesThemOfOneServerUnderTheNameThatIsAskedFor) {
  const Outcome done = run({"gen", "--plain", "--server-ip", "10.0.0.1", "--device-num", "[0,4)", "--role",
                            "2=0-1", "--role", "3=2,3", "-o", "-"});
  EXPECT_EQ(done.status, 0) << done.err;
  const ServerGroupTable table = std::get<ServerGroupTable>(parse_any(done.out, "stdout"));
  EXPECT_EQ(table.groups.at(2).group_id, "3");
  EXPECT_EQ(table.groups.at(2).servers.at(0).devices.at(0).device_id, 2);
  EXPECT_EQ(files(), (Words{"groups.json", "table.json"}));
}

TEST_F(ServerGroups, ConvertMakesThemOfATableAndTablesOfThem) {
  const Outcome made = run({"convert", "table.json", "--to", "server_group", "--role", "prefill=0-1",
                            "--role", "decode=2-3", "-o", "new.json"});
  EXPECT_EQ(made.status, 0);
  EXPECT_EQ(made.err,
            "adarun: table.json: added: $.server_group_list[*].server_list[*].server_ip, container_ip: the "
            "server_id, where the table names no other\n"
            "adarun: wrote new.json\n");
  const Outcome all = run({"convert", "-q", "new.json", "--to", "1.0"});
  EXPECT_EQ(parse_any(all.out, "stdout"), AnyTable(cluster(2, 2)));
  const Outcome one = run({"convert", "-q", "new.json", "--group", "2", "--to", "1.0"});
  Table wanted = cluster(2, 2);
  wanted.servers.erase(wanted.servers.begin());
  wanted.servers[0].devices[0].rank_id = 0;
  wanted.servers[0].devices[1].rank_id = 1;
  EXPECT_EQ(parse_any(one.out, "stdout"), AnyTable(wanted));
}

TEST_F(ServerGroups, ConvertNamesTheGroupThatIsMissing) {
  const Outcome refused = run({"convert", "groups.json", "--group", "7", "--to", "1.0"});
  EXPECT_EQ(refused.status, 2);
  EXPECT_EQ(refused.err, "adarun: groups.json: has no group 7, wanted one of 0, 1, 2\n");
  const Outcome router = run({"convert", "groups.json", "--group", "0", "--to", "1.0"});
  EXPECT_EQ(router.status, 2);
  EXPECT_EQ(router.err, "adarun: groups.json: group 0: has no devices\n");
}

TEST_F(ServerGroups, ConvertTakesAGroupWithPathsOfTheFileAndNothingLost) {
  const Outcome strict = run({"convert", "--strict", "groups.json", "--group", "1", "--to", "1.0"});
  EXPECT_EQ(strict.status, 0) << strict.err;
  ServerGroupTable table = server_group(2, 2);
  table.groups[2].deploy_server = "4";
  write_file("groups.json", write(table));
  const Outcome lost = run({"convert", "--strict", "groups.json", "--group", "2", "--to", "1.0"});
  EXPECT_EQ(lost.status, 1);
  EXPECT_TRUE(has(lost.err, "would be lost: $.server_group_list[2].deploy_server: \"4\"\n")) << lost.err;
  EXPECT_FALSE(has(lost.err, "group_id")) << lost.err;
  const Outcome same = run({"convert", "-q", "groups.json", "--group", "2", "--to", "server_group"});
  EXPECT_EQ(std::get<ServerGroupTable>(parse_any(same.out, "stdout")).groups, (std::vector{table.groups[2]}));
}

TEST_F(ServerGroups, RoleOfGroup0IsNoPlaceForARouter) {
  const std::string why =
      "adarun: --router: not with --role 0=..., which makes the group of the router with devices\n";
  const Outcome made =
      run({"convert", "table.json", "--to", "server_group", "--role", "0=0-3", "--router", "r"});
  EXPECT_EQ(made.status, 2);
  EXPECT_EQ(made.err, why);
  const Outcome generated =
      run({"gen", "--plain", "--hosts", "10.0.0.[1-2]:2", "--role", "0=0-3", "--router", "r"});
  EXPECT_EQ(generated.status, 2);
  EXPECT_EQ(generated.err, why);
}

TEST_F(ServerGroups, SubsetNamesAGroupThatGoes) {
  const Outcome done = run({"subset", "groups.json", "--nodes", "10.0.0.1", "-o", "part.json"});
  EXPECT_EQ(done.status, 0);
  EXPECT_EQ(done.err,
            "adarun: warning: group 2 has no devices left, and is taken out\nadarun: wrote part.json\n");
}

TEST_F(ServerGroups, CommandsThatNeedDevicesRefuseARouterAlone) {
  ServerGroupTable table = server_group(2, 2);
  table.groups.resize(1);
  write_file("router.json", write(table));
  EXPECT_EQ(run({"validate", "router.json"}).status, 1);
  const Outcome env = run({"env", "router.json", "--rank", "0"});
  EXPECT_EQ(env.status, 3);
  EXPECT_TRUE(has(env.err, "$.server_group_list: at least one group must have a device")) << env.err;
}

TEST_F(ServerGroups, ShowHasTheGroupOfEachRankAndGroupsWithoutDevices) {
  EXPECT_EQ(run({"show", "groups.json"}).out,
            "groups.json: server_group, 2 servers, 4 devices\n"
            "group 0: 10.0.0.99, no devices\n"
            "rank  node  server    device  address      group  group_rank\n"
            "   0     0  10.0.0.1       0  192.168.0.1      1           0\n"
            "   1     0  10.0.0.1       1  192.168.0.2      1           1\n"
            "   2     1  10.0.0.2       0  192.168.1.1      2           0\n"
            "   3     1  10.0.0.2       1  192.168.1.2      2           1\n");
  EXPECT_TRUE(
      has(run({"show", "--tree", "groups.json"}).out, "  rank  2  device  0  192.168.1.1  group  2\n"));
  const std::string json = run({"show", "--json", "groups.json"}).out;
  for (const char* part :
       {"\"device_ip\": \"192.168.1.2\",\n      \"group_id\": \"2\",\n      \"group_rank\": 1\n",
        "\"groups\": [\n    {\n      \"group_id\": \"0\",\n      \"servers\": [\n        \"10.0.0.99\"\n     "
        " "
        "],\n      \"devices\": 0\n    },\n"})
    EXPECT_TRUE(has(json, part)) << json;
}

TEST_F(ServerGroups, ValidateNamesTheDeviceThatIsInTwoGroups) {
  EXPECT_EQ(run({"validate", "groups.json"}).out, "groups.json: valid, 2 servers, 4 devices\n");
  ServerGroupTable shared = server_group(2, 2);
  shared.groups[2].servers[0].server_id = "10.0.0.1";
  write_file("shared.json", write(AnyTable(shared)));
  const Outcome refused = run({"validate", "shared.json"});
  EXPECT_EQ(refused.status, 1);
  EXPECT_TRUE(has(refused.out,
                  "$.server_group_list[2].server_list[0].device[0].device_id: a device_id must be"
                  " of one device of its server only"))
      << refused.out;
  const Outcome hccl = run({"validate", "--profile", "hccl", "groups.json"});
  EXPECT_EQ(hccl.status, 1);
  EXPECT_TRUE(has(hccl.out, "HCCL does not read a server_group table")) << hccl.out;
}

TEST_F(ServerGroups, SubsetDiffMergeAndEnvTakeThemOrSayWhyNot) {
  const Outcome kept = run({"subset", "groups.json", "--nodes", "10.0.0.2"});
  ServerGroupTable wanted = server_group(2, 2);
  wanted.groups.erase(wanted.groups.begin() + 1);
  EXPECT_EQ(parse_any(kept.out, "stdout"), AnyTable(wanted)) << kept.err;
  EXPECT_EQ(run({"diff", "groups.json", "table.json"}).out, "the same\n");
  const Words roles = {"convert", "-q",     "table.json", "--to", "server_group", "--role",
                       "1=0-2",   "--role", "2=3",        "-o",   "other.json"};
  EXPECT_EQ(run(roles).status, 0);
  const Outcome diff = run({"diff", "groups.json", "other.json"});
  EXPECT_EQ(diff.status, 1);
  EXPECT_EQ(diff.out,
            "group: rank 2 (10.0.0.2 device 0): 2 -> 1\n"
            "group 0: server_ip: 10.0.0.99 -> none\n"
            "group 0, 10.0.0.1: container_ip: none -> 10.0.0.1\n"
            "group 0, 10.0.0.1: server_ip: none -> 10.0.0.1\n");
  EXPECT_TRUE(has(run({"diff", "--json", "groups.json", "other.json"}).out,
                  "\"groups\": [\n    {\n      \"rank\": 2,\n"));
  const Outcome env = run({"env", "groups.json", "--rank", "3"});
  EXPECT_TRUE(
      has(env.out, "export GLOBAL_RANK_TABLE_FILE_PATH='" + (work() / "groups.json").string() + "'\n"))
      << env.out;
  EXPECT_FALSE(has(env.out, " RANK_TABLE_FILE=")) << env.out;
  EXPECT_TRUE(has(env.out, "\nunset RANK_TABLE_FILE\n")) << env.out;
  const Outcome merged = run({"merge", "table.json", "groups.json"});
  EXPECT_EQ(merged.status, 3);
  EXPECT_TRUE(has(merged.err,
                  "groups.json: a table of schema server_group, wanted 1.0 or 1.2, of one group: adarun "
                  "ranktable convert groups.json --group ID --to 1.0 -o 1.0-groups.json"))
      << merged.err;
}

TEST_F(ServerGroups, TellWrongUsage) {
  const std::string gen = "10.0.0.[1-2]:2";
  for (const auto& [words, message] : std::vector<std::pair<Words, std::string>>{
           {{"gen", "--plain", "--hosts", gen, "--role", "prefill=0-1"}, "--role: rank 2: is in no group"},
           {{"gen", "--plain", "--hosts", gen, "--role", "prefill=0-1", "--role", "1=2-3"},
            "a second group 1"},
           {{"gen", "--role", "router=0-1"}, "wanted prefill, decode or a group_id"},
           {{"gen", "--role", "decode"}, "wanted = and its ranks"},
           {{"gen", "--role", "decode=x"}, "\"decode=x\": "},
           {{"gen", "--router", "10.0.0.9"}, "--role"},
           {{"gen", "--role", "prefill=0-7", "--compare"}, "--compare excludes --role"},
           {{"gen", "--role", "prefill=0-7", "--router", "a b"}, "wanted an address or the name of a host"},
           {{"convert", "table.json", "--to", "1.2", "--role", "prefill=0-3"},
            "which --to server_group writes"},
           {{"convert", "table.json", "--to", "server_group", "--role", "prefill=0-4"},
            "rank 4: is not in the table"},
           {{"convert", "table.json", "--to", "1.2", "--group", "1"}, "table.json is one of schema 1.0"},
       })
    expect_wrong_usage(words, message);
  EXPECT_EQ(files(), (Words{"groups.json", "table.json"}));
}

}  // namespace
}  // namespace adarun::ranktable
