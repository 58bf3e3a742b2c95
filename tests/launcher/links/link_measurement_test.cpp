// SPDX-License-Identifier: Apache-2.0
#include "launcher/links/link_measurement.h"

#include <gtest/gtest.h>

#include <deque>
#include <map>
#include <set>
#include <utility>

#include "base/version.h"
#include "launcher/probe/probe_session.h"

namespace adarun::launcher {
namespace {

using protocol::Answer;
using protocol::Outcome;
using protocol::Query;
using protocol::Question;

const std::string secret = "0123456789abcdef0123456789abcdef";

// Nodes "10.0.0.<i>" that answer at once, or as a test says.
class MeasuredNodes : public testing::Test {
 protected:
  void begin(std::size_t count) {
    std::vector<LinkNode> nodes;
    for (std::size_t i = 0; i < count; ++i) nodes.push_back({"10.0.0." + std::to_string(i), 4});
    measurement_.emplace(std::move(nodes), secret);
    std::vector<NodeProbe*> probes;
    for (std::size_t i = 0; i < count; ++i) probes.push_back(&probes_.emplace_back(*measurement_, i));
    session_.emplace(std::move(probes));
    for (std::uint32_t i = 0; i < count; ++i) say(i, protocol::Hello{base::version(), "h", 1, 0});
  }

  void say(std::uint32_t node, const protocol::Message& message) {
    session_->on_event({node, message}, now_);
  }

  // The node says to such questions that it has failed.
  void fail(std::uint32_t node, Question question, Outcome outcome, const std::string& reason) {
    answers_[{node, question}].outcome = outcome;
    answers_[{node, question}].reason = reason;
  }

  // What a node answers, unless `answers_` has something else for it.
  Answer answer_of(std::uint32_t node, const Query& query) const {
    const auto other = answers_.find({node, query.question});
    Answer answer = other == answers_.end() ? Answer{} : other->second;
    answer.id = query.id;
    if (other != answers_.end()) return answer;
    if (query.question == Question::listen) answer.numbers = {1000 + node};
    if (query.question == Question::speed) answer.numbers = {8'000, 9'000, 100, 5'000, 0, 0};
    if (query.question == Question::link) answer.numbers = {2'000, 100 + node, 200 + node};
    return answer;
  }

  // Answers all questions, those of one turn only when all have been asked; returns the pairs of each turn.
  std::vector<std::set<std::string>> run() {
    std::vector<std::set<std::string>> turns;
    for (std::vector<Outgoing> out = session_->take_outgoing(); !out.empty();
         out = session_->take_outgoing()) {
      auto& pairs = turns.emplace_back();
      for (const Outgoing& each : out) {
        const auto* query = std::get_if<Query>(&each.message);
        if (query == nullptr) continue;
        if (query->question == Question::link)
          pairs.insert(std::to_string(each.nodes[0]) + " to " + query->argv[0] + " " + query->argv[1]);
        if (query->question != Question::speed) {
          EXPECT_EQ(query->secret, secret);
        }
        say(each.nodes[0], answer_of(each.nodes[0], *query));
      }
    }
    EXPECT_EQ(measurement_->step(), measurement_->steps()) << "somebody still waits";
    return turns;
  }

  ProbeSession::Clock::time_point now_{std::chrono::hours(1)};
  std::deque<LinkProbe> probes_;
  std::optional<LinkMeasurement> measurement_;
  std::optional<ProbeSession> session_;
  std::map<std::pair<std::uint32_t, Question>, Answer> answers_;
};

TEST_F(MeasuredNodes, MeetInRoundsOfPairs) {
  begin(4);
  const auto turns = run();
  ASSERT_GE(turns.size(), 4U);
  EXPECT_TRUE(turns[0].empty()) << "first, all say how fast they are, and listen";
  EXPECT_EQ(turns[1], (std::set<std::string>{"0 to 10.0.0.3 1003", "1 to 10.0.0.2 1002"}));
  EXPECT_EQ(turns[2], (std::set<std::string>{"0 to 10.0.0.1 1001", "2 to 10.0.0.3 1003"}));
  EXPECT_EQ(turns[3], (std::set<std::string>{"0 to 10.0.0.2 1002", "1 to 10.0.0.3 1003"}));
  EXPECT_EQ(session_->reasons(), std::vector<std::string>(4));
}

TEST_F(MeasuredNodes, AreReportedWithBothDirectionsOfALink) {
  begin(2);
  run();
  const LinkReport& report = measurement_->report();
  EXPECT_EQ(report.links, (std::vector<MeasuredLink>{{0, 1, {1e-6, 100}, ""}, {1, 0, {1e-6, 200}, ""}}));
  EXPECT_EQ(report.speeds[1], (NodeSpeed{8'000, 9'000, {100e-9, 5'000}, std::nullopt}));
}

TEST_F(MeasuredNodes, MeetNobodyIfThereIsOneAlone) {
  begin(1);
  run();
  EXPECT_TRUE(measurement_->report().links.empty());
  EXPECT_TRUE(measurement_->report().speeds[0].has_value());
  EXPECT_EQ(session_->reasons(), std::vector<std::string>{""});
}

TEST_F(MeasuredNodes, AreMeasuredWithoutOneThatIsLost) {
  begin(4);
  session_->on_event({2, LinkLost{"gone"}}, now_);
  run();
  std::set<std::size_t> seen;
  for (const MeasuredLink& link : measurement_->report().links) seen.insert(link.from);
  EXPECT_EQ(seen, (std::set<std::size_t>{0, 1, 3}));
  EXPECT_EQ(session_->reasons(), (std::vector<std::string>{"", "", "gone", ""}));
}

TEST_F(MeasuredNodes, AreMeasuredWhichOneEverIsLost) {
  for (std::size_t count = 2; count < 9; ++count) {
    for (std::uint32_t lost = 0; lost < count; ++lost) {
      probes_.clear();
      begin(count);
      session_->on_event({lost, LinkLost{"gone"}}, now_);
      run();
      EXPECT_EQ(measurement_->report().links.size(), (count - 1) * (count - 2)) << lost << " of " << count;
    }
  }
}

TEST_F(MeasuredNodes, LeaveOneAloneThatFailsAgainAndAgain) {
  fail(0, Question::link, Outcome::too_late, "not measured within 10 s");
  begin(8);
  run();
  std::size_t failures = 0;
  for (const MeasuredLink& link : measurement_->report().links) failures += link.reason.empty() ? 0 : 1;
  EXPECT_EQ(failures, 6U) << "three links, both directions";
  EXPECT_EQ(measurement_->report().links.size(), 6U + 7 * 6);
}

TEST_F(MeasuredNodes, GoOnWhenOneIsLostWhileItMeasures) {
  begin(2);
  for (const Outgoing& each : session_->take_outgoing())
    say(each.nodes[0], answer_of(each.nodes[0], std::get<Query>(each.message)));
  session_->on_event({0, LinkLost{"gone"}}, now_);
  run();
  EXPECT_EQ(session_->reasons(), (std::vector<std::string>{"gone", ""}));
}

TEST_F(MeasuredNodes, AreAskedTheOtherWayRoundIfOneCannotListen) {
  fail(1, Question::listen, Outcome::failed, "10.0.0.1: not an address of this node");
  begin(2);
  EXPECT_EQ(run()[1], std::set<std::string>{"1 to 10.0.0.0 1000"});
  EXPECT_EQ(measurement_->report().reasons[1], "10.0.0.1: not an address of this node");
}

TEST_F(MeasuredNodes, HaveALinkThatFails) {
  fail(0, Question::link, Outcome::failed, "connecting: Connection refused");
  begin(2);
  run();
  ASSERT_EQ(measurement_->report().links.size(), 2U);
  EXPECT_EQ(measurement_->report().links[0].reason, "connecting: Connection refused");
  EXPECT_EQ(session_->reasons(), std::vector<std::string>(2)) << "the node itself has not failed";
}

TEST_F(MeasuredNodes, HaveAReasonForALinkThatFailsWithoutOne) {
  fail(0, Question::link, Outcome::too_late, "");
  begin(2);
  run();
  ASSERT_EQ(measurement_->report().links.size(), 2U);
  EXPECT_EQ(measurement_->report().links[1].reason, "its agent could not measure, and gives no reason");
}

TEST_F(MeasuredNodes, CannotSayWhatIsAbsurd) {
  for (const std::vector<std::uint64_t>& numbers :
       std::vector<std::vector<std::uint64_t>>{{},
                                               {1},
                                               {1, 2, 3, 4},
                                               {0, 1, 1},
                                               {1, 0, 1},
                                               {1, 1, 0},
                                               {~std::uint64_t{0}, 1, 1},
                                               {1, ~std::uint64_t{0}, 1}}) {
    probes_.clear();
    answers_[{0, Question::link}].numbers = numbers;
    begin(2);
    run();
    ASSERT_EQ(measurement_->report().links.size(), 2U);
    EXPECT_NE(measurement_->report().links[0].reason, "") << testing::PrintToString(numbers);
  }
}

TEST_F(MeasuredNodes, CannotNameAPortThatIsNone) {
  answers_[{1, Question::listen}].numbers = {70'000};
  begin(2);
  run();
  EXPECT_EQ(measurement_->report().reasons[1], "its agent reports port 70000");
}

TEST_F(MeasuredNodes, AreManyInATimeThatDoesNotMatter) {
  begin(260);
  EXPECT_EQ(measurement_->steps(), 256U);
  run();
  EXPECT_EQ(measurement_->report().links.size(), 260U * 255);
}

class RoundsOfNodes : public testing::TestWithParam<std::size_t> {};

TEST_P(RoundsOfNodes, LetEachMeetEachOtherOnce) {
  const std::size_t nodes = GetParam();
  std::set<std::pair<std::size_t, std::size_t>> met;
  for (std::size_t round = 0; round < rounds_of(nodes); ++round) {
    for (std::size_t node = 0; node < nodes; ++node) {
      const auto other = partner_of(node, round, nodes);
      if (!other) continue;
      EXPECT_NE(*other, node);
      EXPECT_EQ(partner_of(*other, round, nodes), node);
      EXPECT_TRUE(met.emplace(node, *other).second) << node << " and " << *other << " meet twice";
    }
  }
  EXPECT_EQ(met.size(), nodes * (nodes - 1));
}

INSTANTIATE_TEST_SUITE_P(Some, RoundsOfNodes, testing::Values(1, 2, 3, 4, 5, 8, 9, 16, 31, 64));

TEST(Rounds, AreAsFewAsCanBe) {
  EXPECT_EQ(rounds_of(0), 0U);
  EXPECT_EQ(rounds_of(1), 0U);
  EXPECT_EQ(rounds_of(2), 1U);
  EXPECT_EQ(rounds_of(3), 3U);
  EXPECT_EQ(rounds_of(256), 255U);
}

}  // namespace
}  // namespace adarun::launcher
