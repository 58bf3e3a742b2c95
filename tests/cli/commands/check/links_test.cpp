// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/check/links.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <variant>

#include "cli/arguments/command.h"
#include "trainer/planner/json/links_json.h"

namespace adarun::cli {
namespace {

CheckedLinks links_of_two() {
  CheckedLinks links;
  links.names = {"node1", "node2"};
  links.addresses = {"10.0.0.1", "10.0.0.2"};
  links.report.reasons = {"", ""};
  links.report.speeds.assign(2, launcher::NodeSpeed{8e9, 40e9, {1e-6, 4e9}, std::nullopt});
  links.report.links = {{0, 1, {50e-6, 1.25e9}, ""}, {1, 0, {50e-6, 1e9}, ""}};
  links.levels = launcher::levels_of(links.report, {});
  links.findings = launcher::findings_of(links.report, links.names);
  return links;
}

TEST(LinksText, IsAMatrixAndTheLevels) {
  EXPECT_EQ(links_text(links_of_two()),
            "Gbit/s to\n"
            "from   node1  node2\n"
            "node1  -      10.00\n"
            "node2  8.00   -\n"
            "\n"
            "node   copies    computes, a rank  between cores            NUMA nodes\n"
            "node1  8.0 GB/s  40.0 GFLOP/s      1.0 us         4.0 GB/s\n"
            "node2  8.0 GB/s  40.0 GFLOP/s      1.0 us         4.0 GB/s\n"
            "\n"
            "within a  measured  message  rate\n"
            "node             2  1.0 us   4.0 GB/s\n"
            "cluster          2  50 us    10.0 Gbit/s\n");
}

TEST(LinksText, NamesLinksThatFail) {
  CheckedLinks links = links_of_two();
  links.report.links[1].reason = "refused";
  EXPECT_NE(links_text(links).find("node2  fails  -"), std::string::npos) << links_text(links);
}

TEST(LinksText, HasNoMatrixOfManyNodes) {
  CheckedLinks links = links_of_two();
  links.names.resize(17, "more");
  links.report.reasons.resize(17);
  links.report.speeds.resize(17);
  EXPECT_EQ(links_text(links).find("from"), std::string::npos);
  EXPECT_NE(links_text(links).find("each link of 17 nodes: --plot"), std::string::npos);
}

TEST(LinksFile, IsWhatThePlannerReads) {
  const planner::MeasuredLinks read = planner::read_links(links_file(links_of_two()), "costs.json");
  ASSERT_EQ(read.levels.size(), 2U);
  EXPECT_EQ(read.levels[0], (planner::MeasuredLinks::OfLevel{"node", 1e-6, 1 / 4e9, false}));
  EXPECT_EQ(read.levels[1], (planner::MeasuredLinks::OfLevel{"cluster", 50e-6, 1 / 1.25e9, true}));
  EXPECT_FALSE(read.operations_per_s) << "no training computes as fast as registers do";
}

TEST(LinksFile, IsNotWrittenOfNothing) {
  CheckedLinks links = links_of_two();
  links.levels.pop_back();
  EXPECT_THROW(links_file(links), ExitError);
  links.levels.clear();
  EXPECT_THROW(links_file(links), ExitError);
}

TEST(LinksJson, HasNodesLinksAndReasons) {
  CheckedLinks links = links_of_two();
  links.report.links[1].reason = "refused";
  links.report.reasons[1] = "its agent is gone";
  links.report.speeds[1].reset();
  links.findings = launcher::findings_of(links.report, links.names);
  const auto json = nlohmann::json::parse(links_json(links));
  EXPECT_EQ(json["nodes"][0]["cores"]["bytes_per_s"], 4e9);
  EXPECT_EQ(json["nodes"][1]["reason"], "its agent is gone");
  EXPECT_EQ(json["links"][0]["bytes_per_s"], 1.25e9);
  EXPECT_EQ(json["links"][1], (nlohmann::json{{"from", "node2"}, {"to", "node1"}, {"reason", "refused"}}));
  EXPECT_EQ(json["findings"][0]["verdict"], "wrong");
}

TEST(LinksPicture, HasASquareForEachLink) {
  std::size_t squares = 0;
  for (const auto& shape : link_picture(links_of_two()).shapes)
    if (std::holds_alternative<monitor::plot::Area>(shape)) ++squares;
  EXPECT_EQ(squares, 4U) << "two links, and each node with itself";
}

}  // namespace
}  // namespace adarun::cli
