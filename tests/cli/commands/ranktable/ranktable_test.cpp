// SPDX-License-Identifier: Apache-2.0
#include "tests/cli/commands/ranktable/ranktable_command.h"

namespace adarun::ranktable {
namespace {

TEST_F(RanktableCommand, TellsWrongUsage) {
  const struct {
    Words words;
    const char* message;
  } cases[] = {
      {{}, "Subcommands:"},
      {{"mend"}, "\"mend\": ranktable has no such command"},
      {{"gen", "--device-num", "(0,8)"}, "wanted a half-open range"},
      {{"gen", "--device-num", "[3,3)"}, "wanted at least one device"},
      {{"gen", "--device-num", "[3,6)"}, "must be in the same group of [0,4] or [4,8]"},
      {{"gen", "--device-num", "[0,4)", "--visible-devices", "0,1"}, "lists 2 devices, wanted at least 4"},
      {{"gen", "--visible-devices", "0,0"}, "device 0 comes twice"},
      {{"gen", "--generation", "a9"}, "wanted 910|a2|a3"},
      {{"gen", "--plain", "--hccn-conf", "x"}, "excludes"},
      {{"gen", "--devices", "0,1,2,9"}, "must be in the same group of [0,4] or [4,8], be whole eights"},
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
  };
  for (const auto& wrong : cases) {
    const Outcome refused = run(wrong.words);
    EXPECT_EQ(refused.status, 2) << refused.err;
    EXPECT_TRUE(has(refused.err, wrong.message)) << refused.err << "\nwanted " << wrong.message;
    EXPECT_EQ(refused.out, "");
  }
  EXPECT_EQ(files(), Words{});
}

TEST_F(RanktableCommand, HelpsWithExamples) {
  for (const char* command : {"gen", "merge", "validate"}) {
    const Outcome help = run({command, "--help"});
    EXPECT_EQ(help.status, 0);
    EXPECT_TRUE(has(help.out, std::string("  adarun ranktable ") + command)) << help.out;
    EXPECT_TRUE(has(help.out, "Exit status:")) << help.out;
  }
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

}  // namespace
}  // namespace adarun::ranktable
