// SPDX-License-Identifier: Apache-2.0
// Queries to built agents on this machine, without SSH.
#include "launcher/probe/probe_session.h"

#include <gtest/gtest.h>

#include "launcher/transport/local/local_reach.h"
#include "launcher/transport/loop/loop.h"

namespace adarun::launcher {
namespace {

// Runs a program that prints a word, twice.
class Echo : public NodeProbe {
 public:
  explicit Echo(std::string word) : word_(std::move(word)) {}

  std::vector<protocol::Query> next() override {
    if (rounds_++ == 2) return {};
    protocol::Query query;
    query.argv = {"echo", word_};
    return {query};
  }
  void take(const protocol::Query&, const protocol::Answer& answer) override { heard += answer.out; }

  std::string heard;

 private:
  std::string word_;
  int rounds_ = 0;
};

std::unique_ptr<Transport> connect_agents(std::size_t nodes, const std::string& agent,
                                          const base::FileLimit& files) {
  ReachOptions options;
  options.agent = agent;
  auto loop = std::make_unique<Loop>(options.link_options(default_lease));
  loop->add(local_reach()->links(std::vector<Host>(nodes), {}, options, files));
  return loop;
}

TEST(Ask, HearsAllNodesAndShowsHowFarItIs) {
  Echo first("one");
  Echo second("two");
  const base::FileLimit files;
  const auto transport = connect_agents(2, AGENT_PROGRAM, files);
  ProbeProgress last;
  const std::vector<std::string> reasons =
      ask(*transport, {&first, &second}, [&last](const ProbeProgress& progress) { last = progress; });
  EXPECT_EQ(reasons, (std::vector<std::string>{"", ""}));
  EXPECT_EQ(first.heard, "one\none\n");
  EXPECT_EQ(second.heard, "two\ntwo\n");
  EXPECT_EQ(last, (ProbeProgress{2, 2, 2, 0, 4}));
}

TEST(Ask, SaysWhyThereIsNoAgent) {
  Echo node("one");
  const base::FileLimit files;
  const auto transport = connect_agents(1, "/bin/false", files);
  const std::vector<std::string> reasons = ask(*transport, {&node}, [](const ProbeProgress&) {});
  EXPECT_EQ(reasons.at(0).find("no agent answered"), 0U) << reasons.at(0);
}

}  // namespace
}  // namespace adarun::launcher
