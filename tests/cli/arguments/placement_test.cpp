// SPDX-License-Identifier: Apache-2.0
#include "cli/arguments/placement.h"

#include <gtest/gtest.h>

#include <CLI/CLI.hpp>

#include "cli/arguments/command.h"
#include "ranktable/write.h"
#include "tests/cli/refusals.h"
#include "tests/scratch_folder.h"

namespace adarun::cli {
namespace {

LaunchOptions on_hosts(const std::string& hosts) {
  LaunchOptions options;
  options.hosts = hosts;
  return options;
}

// The status with which a job is refused, and the message.
std::pair<int, std::string> refused(const LaunchOptions& options) {
  return exit_of([&options] { place(options); });
}

std::vector<std::string> names_of(const launcher::Placement& placement) {
  std::vector<std::string> names;
  for (const launcher::Host& host : placement.hosts) names.push_back(host.name);
  return names;
}

TEST(Placement, MakesATableOfTheHosts) {
  const launcher::Placement placement = place(on_hosts("node[1-2]:8,gpu9:4"));
  EXPECT_EQ(placement.table_text, "") << "it is not the user's";
  EXPECT_EQ(names_of(placement), (std::vector<std::string>{"node1", "node2", "gpu9"}));
  EXPECT_EQ(ranktable::device_count(placement.table), 20U);
}

TEST(Placement, AsksTheHostsThatSayTheirDevicesThemselves) {
  LaunchOptions options = on_hosts("node1:2,node[2-3]:auto,node4:gpu");
  options.counts.nodes = 3;
  std::string asked;
  const launcher::Placement placement = place(options, [&](std::vector<launcher::Host>& hosts) {
    for (launcher::Host& host : hosts) {
      asked += host.name + " ";
      host.devices = {0, 1, 5};
      host.asked_kind.reset();
    }
  });
  EXPECT_EQ(asked, "node2 node3 ");
  EXPECT_EQ(placement.hosts[2].devices, (std::vector<int>{0, 1, 5}));
  EXPECT_EQ(ranktable::device_count(placement.table), 8U);
}

TEST(Placement, LeavesNoHostOutWhereThereIsNoList) {
  LaunchOptions options;
  options.table_file = "table.json";
  options.exclude = "node1";
  EXPECT_THROW(place(options), CLI::RequiresError);
}

TEST(Placement, RefusesThemWhereNobodyAsks) {
  EXPECT_EQ(
      refused(on_hosts("node1:2,node2:auto")),
      (std::pair(exit_usage, std::string("node2:auto: launch and train ask a node for its devices; here "
                                         "their number is wanted"))));
}

TEST(Placement, RefusesMoreRanksToBeLeftThanThereAreAndWithoutPmiAny) {
  LaunchOptions options = on_hosts("node[1-2]:2");
  options.rank_restarts = 1;
  EXPECT_EQ(refused(options), (std::pair(exit_usage, std::string("--rank-restarts: only with --min-ranks"))));
  options.min_ranks = 4;
  EXPECT_EQ(refused(options).first, exit_done);
  options.min_ranks = 5;
  EXPECT_EQ(refused(options), (std::pair(exit_usage, std::string("--min-ranks 5: the job has 4 ranks"))));
  options.min_ranks = 2;
  options.mpi = launcher::protocol::Mpi::off;
  EXPECT_EQ(refused(options),
            (std::pair(exit_usage, std::string("--min-ranks 2: not with --mpi off: ranks learn by PMI which "
                                               "others are left"))));
}

TEST(Placement, KeepsTheUsersTableByteForByte) {
  const test::ScratchFolder scratch;
  LaunchOptions options;
  const std::string text = ranktable::write(place(on_hosts("node1:2,node2:2")).table);
  options.table_file = scratch.write("table.json", text);
  const launcher::Placement placement = place(options);
  EXPECT_EQ(placement.table_text, text);
  EXPECT_EQ(names_of(placement), (std::vector<std::string>{"node1", "node2"}));
}

TEST(Placement, TakesTheTablesServersOutOfALongerListInTheirOrder) {
  const test::ScratchFolder scratch;
  LaunchOptions options = on_hosts("ada@node2:2,node3:2,node1:2");
  options.table_file =
      scratch.write("table.json", ranktable::write(place(on_hosts("node1:2,node2:2")).table));
  const launcher::Placement placement = place(options);
  EXPECT_EQ(names_of(placement), (std::vector<std::string>{"node1", "node2"}));
  EXPECT_EQ(placement.hosts[1].user, "ada");
}

TEST(Placement, IsWrongUsageWhereNothingSaysWhere) {
  EXPECT_EQ(refused({}),
            std::pair(exit_usage, std::string("say where to run: -r TABLE or --hosts LIST, or --via "
                                              "slurm, pbs, lsf or flux inside a job of theirs")));
}

TEST(Placement, IsWrongUsageWhereTheTableCannotBeRead) {
  const test::ScratchFolder scratch;
  LaunchOptions options;
  options.table_file = scratch.path() / "none.json";
  EXPECT_EQ(refused(options), std::pair(exit_usage, options.table_file + ": No such file or directory"));
}

TEST(Placement, RefusesATableThatIsNone) {
  const test::ScratchFolder scratch;
  LaunchOptions options;
  options.table_file = scratch.write("table.json", "[1, 2");
  const auto [status, said] = refused(options);
  EXPECT_EQ(status, exit_no);
  EXPECT_EQ(said.rfind(options.table_file + ":", 0), 0U) << said;
}

TEST(Placement, HoldsTheWorldToTheRulesOfAdaSumWhereTheyAreAskedFor) {
  LaunchOptions options = on_hosts("node[1-3]:8");
  EXPECT_EQ(refused(options).first, exit_done);
  options.adasum = true;
  const auto [status, said] = refused(options);
  EXPECT_EQ(status, exit_no);
  EXPECT_NE(
      said.find("node[1-3]:8 has 24 devices; nothing was started; to run all the same, leave --adasum out"),
      std::string::npos)
      << said;
  options.hosts = "node[1-2]:8";
  EXPECT_EQ(refused(options).first, exit_done);
}

// Two groups, of a server each, and a third server for both.
std::string groups_of_three() {
  ranktable::ServerGroupTable table;
  table.groups.resize(2);
  for (std::size_t i = 0; i < 2; ++i) {
    ranktable::ServerGroup& group = table.groups[i];
    group.group_id = std::to_string(i + 1);
    const std::string ip = "10.0.0." + std::to_string(i + 1);
    group.servers = {{ip, ip, "", {{0, "", 0}, {1, "", 1}}}};
    group.servers.push_back({"10.0.0.3", "10.0.0.3", "", {{static_cast<int>(i), "", 2}}});
  }
  return ranktable::write(ranktable::AnyTable(table));
}

LaunchOptions on_groups(const test::ScratchFolder& scratch) {
  LaunchOptions options;
  options.table_file = scratch.write("groups.json", groups_of_three());
  return options;
}

TEST(PlacementOfGroups, HasTheRanksOfEachGroup) {
  const test::ScratchFolder scratch;
  LaunchOptions options = on_groups(scratch);
  const launcher::Placement all = place(options);
  EXPECT_EQ(all.groups, (std::vector<launcher::GroupRanks>{{"1", 0, 3}, {"2", 3, 3}}));
  const launcher::Placement part = launcher::place_on({all.hosts[0], all.hosts[2]}, all, false);
  EXPECT_EQ(part.groups, (std::vector<launcher::GroupRanks>{{"1", 0, 2}, {"2", 2, 2}}));
  try {
    launcher::place_on({all.hosts[0]}, all, false);
    ADD_FAILURE() << "was not refused";
  } catch (const launcher::Error& error) {
    EXPECT_STREQ(error.what(), "group 2 of the rank table would have no node");
  }
}

}  // namespace
}  // namespace adarun::cli
