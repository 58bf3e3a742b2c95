// SPDX-License-Identifier: Apache-2.0
// merge, convert, show, diff, subset and env, and what is wrong usage of all: the built program.
#include <gtest/gtest.h>

#include "ranktable/operations/convert.h"
#include "ranktable/operations/diff.h"
#include "ranktable/parse.h"
#include "ranktable/write.h"
#include "tests/cli/commands/ranktable/ranktable_command.h"

namespace adarun::ranktable {
namespace {

// Two servers of two cards, each in a super pod of its own, in the order of a cloud table.
Table two_pods() {
  Table table;
  table.version = "1.2";
  table.servers = {{"10.0.0.10", "reserve", {{0, "192.168.10.0", 0, "7"}, {1, "192.168.10.1", 1, "8"}}},
                   {"10.0.0.2", "reserve", {{0, "192.168.2.0", 2, "7"}, {1, "192.168.2.1", 3, "8"}}}};
  table.super_pods = {{"a", {{"10.0.0.10"}}}, {"b", {{"10.0.0.2"}}}};
  return table;
}

Table moved() {
  Table table = two_pods();
  for (Server& server : table.servers)
    for (Device& device : server.devices) device.rank_id = (device.rank_id + 2) % 4;
  return table;
}

// Writes the tables of the tests into the folder they run in.
class TableCommands : public RanktableCommand {
 protected:
  TableCommands() {
    write_file("pods.json", write(two_pods()));
    write_file("moved.json", write(moved()));
  }
};

TEST_F(TableCommands, ConvertReportsWhatIsLostAndAdded) {
  const Outcome done = run({"convert", "pods.json", "--to", "2.0", "-o", "new.json"});
  EXPECT_EQ(done.status, 0);
  EXPECT_EQ(done.out, "");
  EXPECT_EQ(
      done.err,
      "adarun: pods.json: lost: $.server_list[0].device[0].super_device_id: \"7\" (and 3 more)\n"
      "adarun: pods.json: added: $.rank_list[*].local_id: the device_id\n"
      "adarun: pods.json: added: $.rank_list[*].level_list[*].net_type: \"TOPO_FILE_DESC\" on layer 0, "
      "\"CLOS\" above\n"
      "adarun: pods.json: added: $.rank_list[*].level_list[*].rank_addr_list: the device_ip, on every layer\n"
      "adarun: pods.json: added: $.rank_list[*].level_list[*].rank_addr_list[0].ports: [\"0/0\"]: put the "
      "ports of your cards there\n"
      "adarun: wrote new.json\n");
  EXPECT_EQ(read_any("new.json"), convert(two_pods(), Schema::v2_0).table);
}

TEST_F(TableCommands, ConvertWritesToStdoutAndNothingElseWhenQuiet) {
  const Outcome done = run({"convert", "-q", "--to", "lab", "pods.json"});
  EXPECT_EQ(done.status, 0);
  EXPECT_EQ(done.err, "");
  EXPECT_EQ(parse_any(done.out, "stdout"), convert(two_pods(), Schema::lab).table);
}

TEST_F(TableCommands, ConvertWritesNothingWhenStrictAndSomethingWouldBeLost) {
  const Outcome refused = run({"convert", "pods.json", "--to", "1.0", "--strict", "-o", "new.json"});
  EXPECT_EQ(refused.status, 1);
  EXPECT_EQ(refused.out, "");
  EXPECT_EQ(
      refused.err,
      "adarun: pods.json: would be lost: $.server_list[0].device[0].super_device_id: \"7\" (and 3 more)\n"
      "adarun: pods.json: would be lost: $.super_pod_list[0].super_pod_id: \"a\" (and 1 more)\n"
      "adarun: pods.json: not converted, because of --strict\n");
  EXPECT_EQ(files(), (Words{"moved.json", "pods.json"}));
  EXPECT_EQ(run({"convert", "pods.json", "--to", "1.2", "--strict"}).status, 0);
}

TEST_F(TableCommands, ConvertWarnsOfAResultThatIsNotValid) {
  run({"convert", "-q", "pods.json", "--to", "1.0", "-o", "v1.json"});
  const Outcome done = run({"convert", "v1.json", "--to", "1.2"});
  EXPECT_EQ(done.status, 0);
  EXPECT_TRUE(has(done.err,
                  "adarun: warning: the result is not valid: "
                  "$.server_list[0].device[0].super_device_id: "))
      << done.err;
  EXPECT_TRUE(has(done.err, " (and 3 more)\n")) << done.err;
}

TEST_F(TableCommands, ConvertNamesTheFileThatACloudTableCannotHold) {
  const Outcome refused = run({"convert", "moved.json", "--to", "cloud"});
  EXPECT_EQ(refused.status, 3);
  EXPECT_TRUE(has(refused.err, "adarun: moved.json: server 10.0.0.10: device 0: its rank 2 would become 0: "))
      << refused.err;
}

TEST_F(TableCommands, ShowListsRanks) {
  EXPECT_EQ(run({"show", "moved.json"}).out,
            "moved.json: 1.2, 2 servers, 4 devices, 2 super pods\n"
            "rank  node  server     device  address       super_pod  super_device\n"
            "   0     1  10.0.0.2        0  192.168.2.0   b                     7\n"
            "   1     1  10.0.0.2        1  192.168.2.1   b                     8\n"
            "   2     0  10.0.0.10       0  192.168.10.0  a                     7\n"
            "   3     0  10.0.0.10       1  192.168.10.1  a                     8\n");
}

TEST_F(TableCommands, ShowDrawsATree) {
  EXPECT_EQ(run({"show", "--tree", "pods.json"}).out,
            "pods.json: 1.2, 2 servers, 4 devices, 2 super pods\n"
            "super pod a\n"
            "  server 10.0.0.10 (node 0)\n"
            "    rank  0  device  0  192.168.10.0\n"
            "    rank  1  device  1  192.168.10.1\n"
            "super pod b\n"
            "  server 10.0.0.2 (node 1)\n"
            "    rank  2  device  0  192.168.2.0\n"
            "    rank  3  device  1  192.168.2.1\n");
  run({"gen", "--plain", "--hosts", "n1:1", "-o", "plain.json"});
  EXPECT_EQ(run({"show", "--tree", "plain.json"}).out,
            "plain.json: 1.0, 1 server, 1 device\nserver n1 (node 0)\n  rank  0  device  0\n");
  EXPECT_TRUE(has(run({"show", "plain.json"}).out, "   0     0  n1           0  -\n"));
}

TEST_F(TableCommands, ShowPrintsJson) {
  const Outcome shown = run({"show", "--json", "pods.json"});
  EXPECT_TRUE(has(shown.out,
                  "{\n  \"file\": \"pods.json\",\n  \"schema\": \"1.2\",\n  \"status\": \"completed\",\n"
                  "  \"servers\": 2,\n  \"devices\": 4,\n  \"ranks\": [\n    {\n"
                  "      \"rank\": 0,\n      \"node\": 0,\n      \"server_id\": \"10.0.0.10\",\n"
                  "      \"local_rank\": 0,\n      \"device_id\": 0,\n"
                  "      \"device_ip\": \"192.168.10.0\",\n      \"super_pod_id\": \"a\",\n"
                  "      \"super_device_id\": \"7\"\n    },\n"))
      << shown.out;
}

TEST_F(TableCommands, DiffAnswersByItsStatus) {
  run({"convert", "-q", "pods.json", "--to", "cloud", "-o", "cloud.json"});
  run({"convert", "-q", "pods.json", "--to", "1.0", "-o", "v1.json"});
  const Outcome same = run({"diff", "cloud.json", "v1.json"});
  EXPECT_EQ(same.status, 0);
  EXPECT_EQ(same.out, "the same\n");
  EXPECT_EQ(run({"diff", "-q", "cloud.json", "v1.json"}).out, "");
  const Outcome different = run({"diff", "pods.json", "moved.json"});
  EXPECT_EQ(different.status, 1);
  EXPECT_EQ(different.out,
            "moved: ranks 2-3 -> ranks 0-1 (10.0.0.2 devices 0-1)\n"
            "moved: ranks 0-1 -> ranks 2-3 (10.0.0.10 devices 0-1)\n");
  const Outcome quiet = run({"diff", "-q", "pods.json", "moved.json"});
  EXPECT_EQ(quiet.status, 1);
  EXPECT_EQ(quiet.out, "");
  EXPECT_EQ(run({"diff", "pods.json", "none.json"}).status, 3);
}

TEST_F(TableCommands, DiffNamesEachKindOfDifference) {
  Table other = two_pods();
  other.servers[0].devices[1].device_id = 5;
  other.servers[1].devices[0].device_ip = "192.168.2.9";
  other.servers[1].devices[1].super_device_id = "";
  other.super_pods = {{"a", {{"10.0.0.10"}, {"10.0.0.2"}}}};
  other.status = "initializing";
  write_file("other.json", write(other));
  EXPECT_EQ(run({"diff", "pods.json", "other.json"}).out,
            "removed: rank 1 (10.0.0.10 device 1)\n"
            "added: rank 1 (10.0.0.10 device 5)\n"
            "address: rank 2 (10.0.0.2 device 0): 192.168.2.0 -> 192.168.2.9\n"
            "super device: rank 3 (10.0.0.2 device 1): 8 -> none\n"
            "super pod: 10.0.0.2: b -> a\n"
            "status: completed -> initializing\n");
  const Outcome json = run({"diff", "--json", "pods.json", "other.json"});
  EXPECT_EQ(json.status, 1);
  for (const char* part :
       {"{\n  \"same\": false,\n  \"removed\": [\n    {\n      \"rank\": 1,\n      \"server_id\": "
        "\"10.0.0.10\",\n"
        "      \"device_id\": 1\n    }\n  ],\n",
        "\"addresses\": [\n    {\n      \"rank\": 2,\n      \"server_id\": \"10.0.0.2\",\n      "
        "\"device_id\": 0,\n"
        "      \"before\": \"192.168.2.0\",\n      \"after\": \"192.168.2.9\"\n",
        "\"status\": {\n    \"before\": \"completed\",\n    \"after\": \"initializing\"\n"})
    EXPECT_TRUE(has(json.out, part)) << json.out;
}

TEST_F(TableCommands, SubsetKeepsNodesAndDevices) {
  const Outcome kept = run({"subset", "pods.json", "--nodes", " 10.0.0.[2-2] ", "--devices", "1-1"});
  EXPECT_EQ(kept.status, 0) << kept.err;
  Table wanted = two_pods();
  wanted.servers = {{"10.0.0.2", "reserve", {{1, "192.168.2.1", 0, "8"}}}};
  wanted.super_pods = {{"b", {{"10.0.0.2"}}}};
  EXPECT_EQ(parse_any(kept.out, "stdout"), AnyTable(wanted));
  write_file("hosts", "10.0.0.10 slots=9  # counts do not matter\n");
  EXPECT_EQ(run({"subset", "pods.json", "--nodes", "@hosts", "-o", "kept.json"}).err,
            "adarun: wrote kept.json\n");
  EXPECT_EQ(read("kept.json").servers.at(0).server_id, "10.0.0.10");
}

TEST_F(TableCommands, SubsetRefusesWhatTheTableDoesNotHave) {
  const Outcome node = run({"subset", "pods.json", "--nodes", "10.0.0.[2-3]", "-o", "kept.json"});
  EXPECT_EQ(node.status, 3);
  EXPECT_EQ(node.err, "adarun: pods.json: server 10.0.0.3: is not in the table\n");
  EXPECT_EQ(run({"subset", "pods.json", "--devices", "0,7"}).err,
            "adarun: pods.json: server 10.0.0.10: has no device 7\n");
  EXPECT_EQ(files(), (Words{"moved.json", "pods.json"}));
}

TEST_F(TableCommands, EnvPrintsWhatAShellTakes) {
  const Outcome shown = run({"env", "moved.json", "--rank", "3"});
  EXPECT_EQ(shown.status, 0) << shown.err;
  EXPECT_TRUE(has(shown.out, "export RANK_TABLE_FILE='" + (work() / "moved.json").string() + "'\n"))
      << shown.out;
  for (const char* line :
       {"export RANK_ID='3'\n", "export RANK_SIZE='4'\n", "export DEVICE_ID='1'\n", "export DEVICE_NUM='2'\n",
        "export SERVER_ID='0'\n", "export LOCAL_RANK='1'\n", "export MASTER_ADDR='10.0.0.2'\n",
        "[ -n \"${OMP_NUM_THREADS+set}\" ] || export OMP_NUM_THREADS='1'\n"})
    EXPECT_TRUE(has(shown.out, line)) << line << shown.out;
  EXPECT_FALSE(has(shown.out, "ADARUN_"));
}

TEST_F(TableCommands, EnvQuotesTheFilesNameAndRefusesAServerThatHasNone) {
  Table table = two_pods();
  write_file("it's $(odd).json", write(table));
  const Outcome shown = run({"env", "it's $(odd).json", "--rank", "0"});
  EXPECT_TRUE(has(shown.out, "/it'\\''s $(odd).json'\n")) << shown.out << shown.err;
  table.servers[0].server_id = "a'; exit 7; '";
  table.super_pods[0].servers[0].server_id = table.servers[0].server_id;
  write_file("evil.json", write(table));
  const Outcome refused = run({"env", "evil.json", "--rank", "0"});
  EXPECT_EQ(refused.status, 3);
  EXPECT_EQ(refused.out, "");
  EXPECT_TRUE(has(refused.err, "evil.json: $.server_list[0].server_id: server_id must hold letters"))
      << refused.err;
}

TEST_F(TableCommands, NothingOfATableReachesATerminalAsACommandToIt) {
  Table table = two_pods();
  table.status = "x\x1b[2J";
  table.servers[0].server_id = "n\x1b[2J";
  table.servers[0].extras = {{"f\x1b[2J", "1"}};
  table.super_pods[0].servers[0].server_id = table.servers[0].server_id;
  table.super_pods[0].super_pod_id = "p\x1b[2J";
  write_file("odd.json", write(table));
  write_file("even.json", write(two_pods()));
  for (const Words& words :
       {Words{"show", "odd.json"}, Words{"show", "--tree", "odd.json"},
        Words{"diff", "even.json", "odd.json"}, Words{"convert", "odd.json", "--to", "cloud", "-o", "-"},
        Words{"validate", "odd.json"}, Words{"merge", "odd.json", "-o", "m.json"},
        Words{"convert", "odd.json", "--to", "1.0", "-o", "-"}}) {
    const Outcome said = run(words);
    EXPECT_FALSE(has(said.out + said.err, "\x1b")) << words[0] << ": " << said.out << said.err;
    EXPECT_TRUE(has(said.out + said.err, "\\u001b[2J")) << words[0] << ": " << said.out << said.err;
  }
}

TEST_F(TableCommands, EnvPrintsEveryRankOfANode) {
  const Outcome by_id = run({"env", "moved.json", "--node", "10.0.0.2"});
  EXPECT_TRUE(has(by_id.out, "# rank 0, device 0\n")) << by_id.out;
  EXPECT_TRUE(has(by_id.out, "# rank 1, device 1\n")) << by_id.out;
  EXPECT_FALSE(has(by_id.out, "# rank 2"));
  EXPECT_EQ(run({"env", "moved.json", "--node", "1"}).out, by_id.out);
  const Outcome json = run({"env", "moved.json", "--node", "1", "--json"});
  EXPECT_TRUE(has(json.out,
                  "[\n  {\n    \"rank\": 0,\n    \"node\": 1,\n    \"server_id\": \"10.0.0.2\",\n"
                  "    \"device_id\": 0,\n    \"environment\": {\n      \"RANK_TABLE_FILE\": \""))
      << json.out;
  EXPECT_TRUE(has(json.out, "\"defaults\": {\n      \"OMP_NUM_THREADS\": \"1\",\n")) << json.out;
}

TEST_F(TableCommands, EnvNamesTheFileOfALabTableAsMindSporeWantsIt) {
  run({"convert", "-q", "pods.json", "--to", "lab", "-o", "lab.json"});
  EXPECT_TRUE(has(run({"env", "lab.json", "--rank", "0"}).out,
                  "export MINDSPORE_HCCL_CONFIG_PATH='" + (work() / "lab.json").string() + "'\n"));
  EXPECT_FALSE(has(run({"env", "pods.json", "--rank", "0"}).out, "MINDSPORE"));
}

TEST_F(TableCommands, EnvRefusesWhatTheTableDoesNotHave) {
  EXPECT_EQ(run({"env", "pods.json", "--rank", "4"}).err,
            "adarun: pods.json: has no rank 4, wanted 0 to 3\n");
  const Outcome node = run({"env", "pods.json", "--node", "2"});
  EXPECT_EQ(node.status, 3);
  EXPECT_EQ(node.err, "adarun: pods.json: has no node 2, wanted a server_id or 0 to 1\n");
  Table broken = two_pods();
  broken.servers[0].devices[0].rank_id = 9;
  write_file("broken.json", write(broken));
  EXPECT_EQ(run({"env", "broken.json", "--rank", "1"}).status, 3);
}

TEST_F(RanktableCommand, MergeGivesTheSameFileWhenRunAgain) {
  run({"gen", "--plain", "--server-ip", "10.0.0.2"});
  run({"gen", "--plain", "--server-ip", "10.0.0.10"});
  Words merge = {"merge"};
  for (const std::string& file : files()) merge.push_back(file);
  const Outcome first = run(merge);
  EXPECT_EQ(first.status, 0) << first.err;
  EXPECT_EQ(first.err, "adarun: wrote hccl_2s_16p.json\n");
  const std::string bytes = read_text("hccl_2s_16p.json");
  EXPECT_EQ(parse(bytes, "t").servers.at(0).server_id, "10.0.0.10");
  merge.push_back("hccl_2s_16p.json");
  const Outcome second = run(merge);
  EXPECT_EQ(second.status, 0) << second.err;
  EXPECT_TRUE(has(second.err, "warning: hccl_2s_16p.json: is the result of an earlier merge")) << second.err;
  EXPECT_EQ(read_text("hccl_2s_16p.json"), bytes);
  EXPECT_EQ(files().size(), 3U);
  merge.insert(merge.end(), {"--order", "numeric", "-o", "-"});
  EXPECT_EQ(parse(run(merge).out, "stdout").servers.at(0).server_id, "10.0.0.2");
}

TEST_F(RanktableCommand, MergeRefusesWhatComesTwice) {
  write_file("a.json", two_cards);
  write_file("b.json", two_cards);
  const Outcome refused = run({"merge", "a.json", "b.json"});
  EXPECT_EQ(refused.status, 3);
  EXPECT_EQ(refused.err, "adarun: a.json and b.json: both have server 10.0.0.2\n");
  EXPECT_EQ(files(), (Words{"a.json", "b.json"}));
}

using RanktableUsage = TableCommands;

TEST_F(RanktableUsage, IsTold) {
  for (const auto& [words, message] : std::vector<std::pair<Words, std::string>>{
           {{}, "Subcommands:"},
           {{"mend"}, "\"mend\": ranktable has no such command"},
           {{"gen", "--device-num", "(0,8)"}, "\"(0,8)\": wanted a half-open range"},
           {{"gen", "--device-num", "[3,3)"}, "\"[3,3)\": wanted at least one device"},
           {{"gen", "--device-num", "[3,6)"}, "must be in the same group of [0,4] or [4,8]"},
           {{"gen", "--device-num", "[0,4)", "--visible-devices", "0,1"},
            "lists 2 devices, wanted at least 4"},
           {{"gen", "--visible-devices", "0,0"}, "device 0 comes twice"},
           {{"gen", "--generation", "a9"}, "wanted 910|a2|a3"},
           {{"gen", "--plain", "--hccn-conf", "x"}, "excludes"},
           {{"gen", "--devices", "0,1,2,9"}, "must be in the same group of [0,4] or [4,8], be whole eights"},
           {{"gen", "--devices", "0,1,2,4"}, "devices 0,1,2,4: must be in the same group of [0,4] or [4,8]"},
           {{"gen", "--devices", "0,x"}, "devices: \"x\": wanted decimal ids"},
           {{"gen", "--devices", "0,1", "--device-num", "[0,2)"}, "excludes"},
           {{"gen", "--device-num-per-node", "0"}, "0"},
           {{"gen", "--device-num-per-node", "8", "--device-num", "[0,16)"}, "the server has 8 devices"},
           {{"gen", "--vnic", "--hccn-conf", "x"}, "excludes"},
           {{"gen", "--compare", "--plain"}, "excludes"},
           {{"gen", "--hccn-tool", "x", "--hccn-conf", "y"}, "--compare"},
           {{"gen", "--tool-timeout", "0"}, "wanted a duration"},
           {{"gen", "--hosts", "n1:8", "--server-ip", "h"}, "excludes"},
           {{"gen", "--hosts", "n1:0"}, "wanted a number from 1"},
           {{"gen", "x"}, "x"},
           {{"merge"}, "required"},
           {{"merge", "--order", "size", "a.json"}, "wanted given|numeric|lexical|rank"},
           {{"validate"}, "required"},
           {{"validate", "a.json", "--path", "x"}, "requires"},
           {{"validate", "a.json", "b.json", "--hosts", "n1"}, "--hosts takes one file at a time"},
           {{"validate", "--profile", "nccl", "a.json"}, "wanted hccl|adasum"},
           {{"convert", "pods.json"}, "--to is required"},
           {{"convert", "pods.json", "--to", "3.0"}, "wanted 1.0|1.2|2.0|cloud|lab"},
           {{"show"}, "required"},
           {{"show", "--tree", "--json", "pods.json"}, "excludes"},
           {{"diff", "pods.json"}, "required"},
           {{"subset", "pods.json"}, "give --nodes, --devices or both"},
           {{"subset", "pods.json", "--nodes", "n[1-"}, "n[1-"},
           {{"subset", "pods.json", "--nodes", "10.0.0.[2-2]:1"}, "10.0.0.2: wanted names without a count"},
           {{"subset", "pods.json", "--devices", "x"}, "--devices: \"x\": wanted decimal ids like"},
           {{"subset", "pods.json", "--devices", "0,0"}, "device 0 comes twice"},
           {{"env", "pods.json"}, "wanted either --rank or --node"},
           {{"env", "pods.json", "--rank", "0", "--node", "0"}, "wanted either --rank or --node"},
           {{"env", "pods.json", "--rank", "x"}, "--rank"},
       })
    expect_wrong_usage(words, message);
  EXPECT_EQ(files(), (Words{"moved.json", "pods.json"}));
}

TEST_F(RanktableUsage, HasExamples) {
  for (const char* command : {"gen", "merge", "validate", "convert", "show", "diff", "subset", "env"}) {
    const Outcome help = run({command, "--help"});
    EXPECT_EQ(help.status, 0);
    EXPECT_TRUE(has(help.out, std::string("  adarun ranktable ") + command)) << help.out;
    EXPECT_TRUE(has(help.out, "Exit status:")) << help.out;
  }
}

}  // namespace
}  // namespace adarun::ranktable
