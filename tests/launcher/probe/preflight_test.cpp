// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>

#include "base/wall_clock.h"
#include "launcher/probe/checks.h"
#include "launcher/probe/preflight.h"

namespace adarun::launcher {
namespace {

NodeFacts good_facts() {
  NodeFacts facts;
  facts.hostname = "node1";
  facts.addresses = {"127.0.0.1", "10.0.0.2"};
  facts.cpus = 64;
  facts.memory_bytes = std::uint64_t{1} << 40U;
  facts.free_bytes = {{"/dev/shm", std::uint64_t{1} << 34U}, {"/work", std::uint64_t{1} << 34U}};
  facts.has_workdir = true;
  facts.open_files = 65'536;
  facts.kernel = "6.1";
  facts.libmpi = "libmpi.so.40.30.4";
  facts.clock_offset = std::chrono::milliseconds(3);
  facts.program = "/usr/bin/train";
  facts.peers = {{"10.0.0.3 22", ""}};
  return facts;
}

const JobRequirements wants{8, "10.0.0.2", "train", "/work"};

std::vector<Check> not_good(const NodeFacts& facts) {
  std::vector<Check> checks = checks_of(facts, wants);
  checks.erase(std::remove_if(checks.begin(), checks.end(),
                              [](const Check& check) { return check.verdict == Verdict::good; }),
               checks.end());
  return checks;
}

TEST(Facts, AreReadFromWhatTheSystemSays) {
  EXPECT_EQ(cpus_of("0-3,8\n"), 5);
  EXPECT_EQ(cpus_of("0\n"), 1);
  for (const char* text : {"", "\n", "a", "3-1", "1-", "0-2147483647"})
    EXPECT_EQ(cpus_of(text), std::nullopt) << text;
  EXPECT_EQ(memory_of("MemTotal:       24704784 kB\nMemFree: 1 kB\n"), 24704784ULL * 1024);
  EXPECT_EQ(memory_of("MemFree: 1 kB\n"), std::nullopt);
  EXPECT_EQ(open_files_of("Limit  Soft  Hard\nMax open files            1024    524288   files\n"), 1024U);
  EXPECT_EQ(open_files_of("Max open files            unlimited unlimited files\n"), std::nullopt);
  EXPECT_EQ(free_of("Filesystem 1024-blocks Used Available Capacity Mounted on\n/dev/a 100 40 60 40% /\n"),
            (std::vector<std::uint64_t>{60 * 1024}));
  EXPECT_EQ(
      library_in({"libmpi.so", "libmpi.so.40", "libmpi.so.40.30.4", "libmpi_cxx.so.40.30.4.5"}, "libmpi.so."),
      "libmpi.so.40.30.4");
  EXPECT_EQ(library_in({}, "libmpi.so."), "");
}

TEST(Facts, TellTheLibraryOfOpenMpiFromThatOfMpich) {
  struct Case {
    std::vector<std::string> names;
    const char* open_mpi;
    const char* mpich;
  };
  const Case cases[] = {
      {{"libmpi.so.40", "libmpi.so.40.30.4", "libmpich.so.12", "libmpich.so.12.2.2", "libmpichcxx.so.12.2.2"},
       "libmpi.so.40.30.4",
       "libmpich.so.12.2.2"},
      {{"libmpi.so", "libmpich.so", "libmpi.so.12", "libmpi.so.12.2.1"}, "", "libmpi.so.12.2.1"},
      {{"libmpi.so.12.100.33", "libmpi.so.40.3.0"}, "libmpi.so.40.3.0", "libmpi.so.12.100.33"},
      {{"libmpi.so.40.30.4", "libmpifort.so.12.2.1"}, "libmpi.so.40.30.4", ""},
      {{}, "", ""},
  };
  for (const Case& each : cases) {
    EXPECT_EQ(open_mpi_in(each.names), each.open_mpi) << testing::PrintToString(each.names);
    EXPECT_EQ(mpich_in(each.names), each.mpich) << testing::PrintToString(each.names);
  }
}

TEST(Checks, FindNothingOnAGoodNode) {
  EXPECT_TRUE(not_good(good_facts()).empty());
}

TEST(Checks, NameWhatIsWrongAndHowToMendIt) {
  struct Case {
    const char* subject;
    Verdict verdict;
    void (*spoil)(NodeFacts&);
  };
  const Case cases[] = {
      {"login shell", Verdict::doubtful,
       [](NodeFacts& f) {
         f.connect_times.take({"login shell of ada", 1'000'000'000});
         f.connect_times.end(4'400'000'000);
       }},
      {"clock", Verdict::doubtful, [](NodeFacts& f) { f.clock_offset = std::chrono::seconds(-2); }},
      {"open files", Verdict::doubtful, [](NodeFacts& f) { f.open_files = 1024; }},
      {"free space", Verdict::doubtful, [](NodeFacts& f) { f.free_bytes["/dev/shm"] = 64U << 20U; }},
      {"working folder", Verdict::wrong, [](NodeFacts& f) { f.has_workdir = false; }},
      {"working folder", Verdict::wrong, [](NodeFacts& f) { f.has_workdir.reset(); }},
      {"program", Verdict::wrong, [](NodeFacts& f) { f.program = ""; }},
      {"server_id", Verdict::wrong, [](NodeFacts& f) { f.addresses = {"10.0.0.9"}; }},
      {"TCP", Verdict::wrong, [](NodeFacts& f) { f.peers["10.0.0.3 22"] = "Connection refused"; }},
  };
  for (const Case& each : cases) {
    NodeFacts facts = good_facts();
    each.spoil(facts);
    const std::vector<Check> found = not_good(facts);
    ASSERT_EQ(found.size(), 1U) << each.subject;
    EXPECT_EQ(found[0].subject, each.subject);
    EXPECT_EQ(found[0].verdict, each.verdict) << each.subject;
    EXPECT_NE(found[0].mend, "") << each.subject;
  }
}

TEST(Checks, SayHowLongALoginShellTakes) {
  Preflight preflight({"/work", "", {}, {}});
  preflight.take_step({"log in", base::now_ns() - 4'000'000'000});
  preflight.take_step({"login shell of ada", base::now_ns() - 3'400'000'000});
  preflight.next();
  const std::vector<Check> checks = checks_of(preflight.facts(), wants);
  const auto row = std::find_if(checks.begin(), checks.end(),
                                [](const Check& each) { return each.subject == "login shell"; });
  ASSERT_NE(row, checks.end());
  EXPECT_EQ(row->found, "the login shell of ada takes 3 s");
}

TEST(Checks, AreFoldedOverNodesAndDoubtTheFew) {
  NodeFacts odd = good_facts();
  odd.libmpi = "libmpi.so.40.20.0";
  odd.libmpich = "libmpich.so.12.2.2";
  const auto good = checks_of(good_facts(), wants);
  const auto rows =
      fold_checks({"n1", "n2", "n3", "n4"}, {good, checks_of(odd, wants), checks_of_lost("no answer"), good});
  const auto row = [&rows](const std::string& found) {
    return *std::find_if(rows.begin(), rows.end(),
                         [&](const FoldedCheck& each) { return each.check.found == found; });
  };
  EXPECT_EQ(row("libmpi.so.40.30.4").nodes, (std::vector<std::string>{"n1", "n4"}));
  EXPECT_EQ(row("libmpi.so.40.30.4").check.verdict, Verdict::good);
  EXPECT_EQ(row("libmpi.so.40.20.0").nodes, (std::vector<std::string>{"n2"}));
  EXPECT_EQ(row("libmpi.so.40.20.0").check.verdict, Verdict::doubtful);
  EXPECT_EQ(row("libmpich.so.12.2.2").check.verdict, Verdict::doubtful);
  EXPECT_EQ(row("no answer").check.verdict, Verdict::wrong);
  EXPECT_EQ(row("6.1").nodes, (std::vector<std::string>{"n1", "n2", "n4"}));
}

}  // namespace
}  // namespace adarun::launcher
