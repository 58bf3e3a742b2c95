// SPDX-License-Identifier: Apache-2.0
#include "ranktable/parse.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>

#include "base/file_descriptor.h"
#include "ranktable/model/error.h"
#include "ranktable/model/read_start.h"
#include "tests/ranktable/schema_texts.h"
#include "tests/scratch_folder.h"

namespace adarun::ranktable {
namespace {

TEST(Parse, ReadsWhatTheReferenceWrites) {
  EXPECT_EQ(parse(two_cards, "t.json"), two_cards_table());
}

// A list of `count` times the same item.
std::string list_of(int count, const std::string& item) {
  std::string list = "[" + item;
  for (int i = 1; i < count; ++i) list += "," + item;
  return list + "]";
}

TEST(Parse, StopsReadingAListOfWhatIsNoEntry) {
  try {
    parse(R"({"version":"1.0","server_count":"1","status":"completed","server_list":)" +
              list_of(20'000, "0") + "}",
          "t.json");
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "t.json: $.server_list[0]: must be an object, found 0 [EI0004] (and 9999 more)");
  }
}

TEST(Examine, StopsReadingListsAfterSomeThousandFindings) {
  const std::string server = R"({"server_id":"a","device":)" + list_of(5'000, "0") + "}";
  const struct {
    const char* name;
    std::string text;
  } cases[] = {
      {"lists in a list", R"({"version":"1.0","server_count":"9","status":"completed","server_list":)" +
                              list_of(9, server) + "}"},
      {"texts",
       R"({"deploy_mode":"lab","group_list":[],"para_plane_nic_name":)" + list_of(45'000, "0") + "}"},
  };
  for (const auto& taken : cases) {
    const std::size_t found = examine_any(taken.text, "t.json").findings.size();
    EXPECT_GE(found, 10'000U) << taken.name;
    EXPECT_LT(found, 10'100U) << taken.name;
  }
}

TEST(Parse, TakesWhatTheSchemaAllows) {
  const struct {
    const char* name;
    std::string text;
  } cases[] = {
      {"bytes without blanks",
       R"({"version":"1.0","server_count":"0","server_list":[],"status":"initializing"})"},
      {"a byte order mark", "\xef\xbb\xbf" + two_cards},
      {"a newline at the end", two_cards + "\n"},
      {"no host_nic_ip", edited(",\n            \"host_nic_ip\": \"reserve\"", "")},
      {"no device_ip", edited("\"device_ip\": \"10.10.100.10\",", "")},
      {"an address that is none", edited("10.10.100.10", "-.-.-.-")},
      {"a large number", edited("\"rank_id\": \"1\"", "\"rank_id\": \"2147483647\"")},
      {"fields of other tools", edited("\"rank_id\": \"1\"", "\"rank_id\": \"1\", \"numa_id\": 3")},
      {"another order of keys",
       edited("\"device_id\": \"0\",", "\"super\": {\"device_id\": []}, \"device_id\": \"0\",")},
      {"text outside ASCII", edited("10.0.0.2", "kn\xc3\xb6t\\u00e9")},
      {"another status", edited("completed", "busy")},
  };
  for (const auto& taken : cases) EXPECT_NO_THROW(parse(taken.text, "t.json")) << taken.name;
}

TEST(Parse, RefusesWhatIsNotTheSchemaNamingThePlace) {
  const struct {
    std::string text;
    const char* message;
  } cases[] = {
      {edited("\"rank_id\": \"1\"", "\"rank_id\": 1"),
       "t.json: $.server_list[0].device[1].rank_id: must be a string, found 1 [EI0014]"},
      {edited("\"rank_id\": \"1\"", "\"rank_id\": \"-1\""),
       "t.json: $.server_list[0].device[1].rank_id: must be a decimal number, without sign or leading zero, "
       "found \"-1\" [EI0014]"},
      {edited(",\n                    \"rank_id\": \"1\"", ""),
       "t.json: $.server_list[0].device[1].rank_id: must be there [EI0017]"},
      {edited("\"10.10.100.10\"", "null"),
       "t.json: $.server_list[0].device[0].device_ip: must be a string, found null [EI0014]"},
      {edited("\"server_id\": \"10.0.0.2\",", ""),
       "t.json: $.server_list[0].server_id: must be there [EI0017]"},
      {edited("\"reserve\"", "[]"),
       "t.json: $.server_list[0].host_nic_ip: must be a string, found [] [EI0014]"},
      {edited("\"server_count\": \"1\",", ""), "t.json: $.server_count: must be there [EI0017]"},
      {edited("\"server_count\": \"1\"", "\"server_count\": 1"),
       "t.json: $.server_count: must be a string, found 1 [EI0014]"},
      {edited("\"version\": \"1.0\",", ""), "t.json: $.version: must be there [EI0017]"},
      {edited("\"1.0\"", "1.0"),
       "t.json: $.version: must be \"1.0\", \"1.2\" or \"2.0\", found 1.0 [EI0014]"},
      {edited("\"1.0\"", "\"3.0\""),
       "t.json: $.version: must be \"1.0\", \"1.2\" or \"2.0\", found \"3.0\" [EI0014]"},
      {edited(",\n    \"status\": \"completed\"", ""), "t.json: $.status: must be there [EI0017]"},
      {"[]", "t.json: $: must be an object, found [] [EI0004]"},
      {R"({"version":"1.0","server_count":"1","server_list":{},"status":"completed"})",
       "t.json: $.server_list: must be an array, found {} [EI0004]"},
      {R"({"version":"1.0","server_count":"1","server_list":[7],"status":"completed"})",
       "t.json: $.server_list[0]: must be an object, found 7 [EI0004]"},
      {R"({"version":"1.0","server_count":"1","server_list":[{"server_id":"a","device":[[]]}],"status":""})",
       "t.json: $.server_list[0].device[0]: must be an object, found [] [EI0004]"},
  };
  for (const auto& wrong : cases)
    EXPECT_EQ(error_of([&] { parse(wrong.text, "t.json"); }), wrong.message) << wrong.text;
}

TEST(Parse, NamesWhatIsNoRankTableForWhatItIs) {
  using namespace std::string_literals;
  const struct {
    std::string text;
    const char* found;
    const char* mend;
  } cases[] = {
      {R"({"version":"1.2","server_count":"2","prefill_device_list":[],"decode_device_list":[]})",
       "a prefill_device_list and decode_device_list", "adarun ranktable gen --hosts LIST --role"},
      {R"({"decode_device_list":[]})", "a prefill_device_list and decode_device_list", ""},
      {R"({"version":"2.0","topo_file_path":"/t.json","rank_count":0,"rank_list":[]})",
       "the hccl_rootinfo.json of one node", "a rank_id for each device"},
      {R"({"version":"2.0","status":"completed","rank_count":1,"rank_list":[{"device_id":0,"local_id":0}]})",
       "the hccl_rootinfo.json of one node", ""},
      {R"({"apiVersion":"v1","kind":"ConfigMap","data":{"hccl.json":"{}"}})", "an object of Kubernetes",
       "kubectl get configmap"},
      {R"({"version":"2.0","hardware_type":"x","peer_list":[],"edge_list":[]})",
       "a topology file of the NPU driver", ""},
      {R"({"pod_name":"a","server_id":"10.0.0.1","devices":[]})", "the annotation of one pod", ""},
      {R"({"version":"1.0","server_list":[{"server_id":"a","device":[{"device_id":"0","tor_ip":"b"}]}]})",
       "cards with the switches that they are on (tor_ip)", "a rank_id for each device"},
      {R"({"version":"2.0","server_list":[],"super_pod_list":[],"oxc_group_list":[]})",
       "a table of optical switches", "adarun ranktable gen --hosts LIST"},
      {R"({"train_batch_size":8})", "JSON without server_list", "adarun ranktable gen --hosts LIST"},
      {R"({"version":4,"resources":[]})", "JSON without server_list", ""},
      {"apiVersion: v1\nkind: ConfigMap\n", "a ConfigMap of Kubernetes", "hccl.json"},
      {"apiVersion: v1\nkind: Config\ncurrent-context: x\n", "a kubeconfig", ""},
      {"[2026-11-30 01:02:03,123] torch.distributed.run: x\n", "a log", ""},
      {std::string(257, 'x') + "ustar", "a tar archive", "tar -xf"},
      {"\xff\xfe{\0}\0"s, "UTF-16 text", "iconv -f UTF-16"},
      {"[workers]\nnode1 ansible_host=10.0.0.1\n", "a list of hosts", "--hosts FILE"},
      {"all:\n  hosts:\n    a:\n      ansible_host: b\n", "a list of hosts", ""},
      {"---\nall:\n  hosts:\n    a:\n", "a list of hosts", ""},
      {"node1 slots=8\n", "a list of hosts", ""},
      {"address_0=10.0.0.1\n", "hccn.conf", "--hccn-conf FILE"},
  };
  for (const auto& each : cases) {
    const Findings findings = examine_any(each.text, "t.json").findings;
    ASSERT_EQ(findings.size(), 1U) << each.found;
    EXPECT_EQ(findings[0].rule, "must be a rank table") << each.found;
    EXPECT_EQ(findings[0].found.rfind(each.found, 0), 0U) << findings[0].found;
    EXPECT_NE(findings[0].mend.find(each.mend), std::string::npos) << findings[0].mend;
  }
  for (const char* text :
       {R"({"server_list":[{"device":[{"device_id":"0"}]}]})", R"({"group_list":1,"version":"3"})",
        R"({"version":"1.0","server_list":[{"device":[]}]})",
        R"({"version":"1.0","server_list":[{"device":[{"tor_ip":"b","rank_id":"0"}]}]})"})
    EXPECT_NE(examine_any(text, "t.json").findings.at(0).rule, "must be a rank table") << text;
  for (const char* text : {"{", "[1,2", "[\"slots\"", "node1", "", "x = ansible", " {\"a\": \"x slots=2\",}",
                           "\"ansible_host", "{\"name\": \"all hosts:\n"})
    EXPECT_EQ(examine_any(text, "t.json").findings.at(0).rule, "must be JSON") << text;
}

TEST(Parse, TakesPlainDecimalsOnly) {
  for (const char* number : {"", " 1", "1 ", "+1", "-1", "01", "0x1", "1abc", "1.0", "2147483648", "\\u0661"})
    EXPECT_NE(error_of([&] {
                parse(edited("\"device_id\": \"1\"", std::string("\"device_id\": \"") + number + '"'), "t");
              }).find("$.server_list[0].device[1].device_id: must be a decimal number"),
              std::string::npos)
        << number;
}

TEST(Parse, GivesTheRanksOfEverySchema) {
  Table cloud;
  cloud.servers = {{"node_0", "", {{0, "192.168.1.8", 0}, {1, "192.168.1.9", 1}}}};
  EXPECT_EQ(parse(cloud_text, "t.json").servers, cloud.servers);
  EXPECT_EQ(parse(lab_text, "t.json").servers.at(0).devices.at(1), (Device{1, "192.2.27.6", 1}));
  EXPECT_EQ(parse(rank_list_text, "t.json").servers.at(0).devices.at(0).device_id, 2);
  EXPECT_EQ(parse(server_group_text, "t.json").servers.at(0).devices.at(1).rank_id, 0);
}

TEST(Parse, NamesTheFileWhoseRanksCannotBeTold) {
  const std::string text = apply(rank_list_text, {"\"net_layer\": 0", "\"net_layer\": 1"});
  EXPECT_EQ(error_of([&] { parse(text, "t.json"); }).rfind("t.json: ", 0), 0U);
}

TEST(ParseAny, RefusesVersion1Dot1WhateverElseIsWrong) {
  for (const std::string& text : {edited("\"1.0\"", "\"1.1\""), std::string(R"({"version": "1.1"})")})
    EXPECT_EQ(
        error_of([&] { parse_any(text, "t.json"); }),
        "t.json: $.version: found \"1.1\", a heterogeneous table, which is not read, wanted \"1.0\", \"1.2\" "
        "or \"2.0\"");
}

TEST(ParseAny, TellsTheSchemasApart) {
  const struct {
    std::string text;
    Schema schema;
  } cases[] = {
      {two_cards, Schema::v1_0},
      {edited("\"1.0\"", "\"1.2\""), Schema::v1_2},
      {R"({"group_list": [], "version": "2.0", "rank_count": 0, "rank_list": []})", Schema::v2_0},
      {R"({"status": "completed", "group_count": "0", "group_list": []})", Schema::cloud},
      {R"({"version": "1.0", "server_group_list": []})", Schema::server_group},
      {R"({"version": "1.2", "status": "completed", "server_group_list": []})", Schema::server_group},
      {R"({"server_group_list": []})", Schema::server_group},
  };
  for (const auto& taken : cases)
    EXPECT_EQ(schema_of(parse_any(taken.text, "t")), taken.schema) << taken.text;
  EXPECT_EQ(schema_of(examine_any(R"({"deploy_mode": "lab", "group_list": []})", "t").table), Schema::lab);
}

TEST(ParseAny, SaysWhereATextIsNotJson) {
  EXPECT_EQ(
      error_of([] { parse_any("{\n'a': 1}", "t.json"); }),
      "t.json: $: must be JSON, found line 2, column 1: found \"'\", wanted a key in double quotes [EI0004]");
}

TEST(Parse, KeepsMessagesShortAndPrintable) {
  for (const std::string& text :
       {"\"" + std::string(100000, '\x1b'), "{\"a\": \"" + std::string(100000, 'x')}) {
    const std::string message = error_of([&] { parse(text, "t.json"); });
    EXPECT_LT(message.size(), 400U);
    EXPECT_EQ(message.find('\x1b'), std::string::npos);
  }
}

TEST(Parse, SaysHowManyMoreThingsAreWrong) {
  EXPECT_NE(error_of([] {
              parse(R"({"version":"1.0","server_count":"1","server_list":[{}],"status":"completed"})", "t");
            }).find(" (and 1 more)"),
            std::string::npos);
}

TEST(Parse, RemembersAServerCountThatIsWrong) {
  const Table table = parse(edited("\"server_count\": \"1\"", "\"server_count\": \"3\""), "t.json");
  EXPECT_EQ(table.wrong_server_count, "3");
  EXPECT_EQ(table.servers.size(), 1U);
}

TEST(Examine, ReadsOnBehindErrors) {
  std::string text = edited("\"rank_id\": \"0\"", "\"rank_id\": \"a\"");
  text.replace(text.find("\"device_id\": \"1\""), 16, "\"device_id\": 1.5");
  const ExaminedAny examined = examine_any(text, "t.json");
  ASSERT_EQ(examined.findings.size(), 2U);
  const std::vector<Server>& servers = std::get<Table>(examined.table).servers;
  EXPECT_EQ(examined.findings[0].path, "$.server_list[0].device[0].rank_id");
  EXPECT_EQ(examined.findings[1].path, "$.server_list[0].device[1].device_id");
  EXPECT_EQ(servers.at(0).devices.at(0).rank_id, -1);
  EXPECT_EQ(servers.at(0).devices.at(1).rank_id, 1);
}

TEST(Read, ReadsAFileAndNamesItInErrors) {
  const test::ScratchFolder scratch;
  const std::filesystem::path file = scratch.path() / "t.json";
  std::ofstream(file) << two_cards;
  EXPECT_EQ(read(file), two_cards_table());
  std::ofstream(file) << "{";
  EXPECT_EQ(error_of([&] { read(file); }).rfind(file.string() + ": ", 0), 0U);
}

TEST(Read, ReadsAPipeToItsEnd) {
  const std::string text(20000, 'x');
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  ASSERT_EQ(::write(ends[1], text.data(), text.size()), static_cast<ssize_t>(text.size()));
  ::close(ends[1]);
  EXPECT_EQ(read_text("/dev/fd/" + std::to_string(ends[0])), text);
  ::close(ends[0]);
}

TEST(Read, RefusesWhatCannotBeRead) {
  const test::ScratchFolder scratch;
  EXPECT_EQ(error_of([&] { read(scratch.path() / "none"); }),
            (scratch.path() / "none").string() + ": No such file or directory");
  EXPECT_EQ(error_of([&] { read(scratch.path()); }),
            scratch.path().string() + ": is a directory, wanted a file");
  std::ofstream(scratch.path() / "large") << std::string(max_text_bytes + 1, ' ');
  EXPECT_NE(error_of([&] { read(scratch.path() / "large"); }).find("must have at most 40 MiB"),
            std::string::npos);
}

class Pipe : public testing::Test {
 protected:
  Pipe() { EXPECT_EQ(::mkfifo(path().c_str(), S_IRUSR | S_IWUSR), 0); }
  std::filesystem::path path() const { return folder_.path() / "pipe"; }

 private:
  test::ScratchFolder folder_;
};

TEST_F(Pipe, IsGivenUpWhereNobodyWritesToIt) {
  EXPECT_EQ(error_of([this] { read_start(path(), 100, std::chrono::milliseconds(1)); }),
            path().string() + ": given up: nobody writes anything to it");
}

TEST_F(Pipe, IsGivenUpWhereAWriterHoldsItAndIsSilent) {
  const base::FileDescriptor writer(::open(path().c_str(), O_RDWR | O_CLOEXEC));
  ASSERT_EQ(::write(writer.get(), "half", 4), 4);
  EXPECT_EQ(read_start(path(), 4, std::chrono::milliseconds(1)), "half");
  EXPECT_THROW(read_start(path(), 4, std::chrono::milliseconds(1)), Error);
}

}  // namespace
}  // namespace adarun::ranktable
