// SPDX-License-Identifier: Apache-2.0
#include "cli/session/job_status.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace adarun::cli {
namespace {

using launcher::protocol::Stream;

// The last line of a job's only rank, which has printed these pieces.
std::string last_line_of(const std::vector<std::string>& pieces) {
  launcher::Plan plan;
  plan.nodes.resize(1);
  plan.node_of_rank = {0};
  JobStatus status(plan);
  for (const std::string& piece : pieces) status.on_output(0, Stream::out, piece);
  return nlohmann::json::parse(status.json())["ranks"][0]["last_line"];
}

TEST(JobStatus, HasTheLastWholeLineOfARank) {
  EXPECT_EQ(last_line_of({}), "");
  EXPECT_EQ(last_line_of({"half"}), "");
  EXPECT_EQ(last_line_of({"one\ntw", "o\nthr"}), "two");
  EXPECT_EQ(last_line_of({"one\ntwo\nthree\n"}), "three");
}

TEST(JobStatus, EndsALineWhereTheMonitorDoes) {
  EXPECT_EQ(last_line_of({"10%\r20", "%\r30"}), "20%");
  EXPECT_EQ(last_line_of({"one\r", "\ntwo\r\n"}), "two");
  EXPECT_EQ(last_line_of({"one\n", "\n\n"}), "one");
}

TEST(JobStatus, CutsALongLine) {
  const std::string text(300, 'x');
  EXPECT_EQ(last_line_of({text + "\n"}), text.substr(0, 200));
  EXPECT_EQ(last_line_of({text, text, text + "\n"}), text.substr(0, 200));
}

}  // namespace
}  // namespace adarun::cli
