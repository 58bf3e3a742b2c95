// SPDX-License-Identifier: Apache-2.0
#include "launcher/probe/probe_session.h"

#include <gtest/gtest.h>

#include "base/version.h"
#include "launcher/base/error.h"

namespace adarun::launcher {
namespace {

using namespace std::chrono_literals;

// Asks for two files `rounds` times, and keeps the answers.
class TwoFiles : public NodeProbe {
 public:
  explicit TwoFiles(int rounds = 1) : rounds_(rounds) {}

  std::vector<protocol::Query> next() override {
    if (rounds_-- == 0) return {};
    std::vector<protocol::Query> queries(2);
    queries[0].path = "a";
    queries[1].path = "b";
    return queries;
  }
  void take(const protocol::Query& query, const protocol::Answer& answer) override {
    if (answer.out == "bad") throw Error(query.path + ": is bad");
    taken += query.path + "=" + answer.out + ";";
  }

  void lose() override { lost = true; }

  std::string taken;
  bool lost = false;

 private:
  int rounds_;
};

// Waits until another one has its answer, or is lost.
class Follower : public TwoFiles {
 public:
  explicit Follower(const TwoFiles& leader) : leader_(leader) {}

  std::vector<protocol::Query> next() override {
    if (leader_.taken.empty() && !leader_.lost) return {};
    waits_ = false;
    return TwoFiles::next();
  }
  bool waits() const override { return waits_; }
  std::size_t turn() const override { return leader_.taken.empty() && !leader_.lost ? 0 : 1; }

 private:
  const TwoFiles& leader_;
  bool waits_ = true;
};

class ProbeSessionTest : public testing::Test {
 protected:
  void begin(std::vector<NodeProbe*> probes) { session_.emplace(std::move(probes)); }
  void hello(std::uint32_t node, const std::string& version = base::version()) {
    say(node, protocol::Hello{version, "h", 1, 0});
  }
  void say(std::uint32_t node, const protocol::Message& message) {
    session_->on_event({node, message}, now_);
  }
  void lose(std::uint32_t node, const std::string& reason) {
    session_->on_event({node, LinkLost{reason}}, now_);
  }
  void answer(std::uint32_t node, std::uint32_t id, const std::string& out) {
    protocol::Answer answer;
    answer.id = id;
    answer.out = out;
    say(node, answer);
  }
  // The sent messages, as "node:message".
  std::string sent() {
    std::string text;
    for (const Outgoing& out : session_->take_outgoing()) {
      text += std::to_string(out.nodes.at(0)) + ":";
      if (const auto* query = std::get_if<protocol::Query>(&out.message))
        text += query->path + std::to_string(query->id) + " ";
      else
        text += std::holds_alternative<protocol::Stop>(out.message) ? "stop " : "? ";
    }
    return text;
  }
  // Advances the time to the next deadline; false if there is none.
  bool pass_time() {
    if (!session_->deadline()) return false;
    now_ = *session_->deadline();
    session_->on_time(now_);
    return true;
  }

  ProbeSession::Clock::time_point now_{1h};
  std::optional<ProbeSession> session_;
};

TEST_F(ProbeSessionTest, AsksEachNodeAsSoonAsItHasAnswered) {
  TwoFiles first(2);
  TwoFiles second;
  begin({&first, &second});
  EXPECT_EQ(sent(), "");
  hello(1);
  EXPECT_EQ(sent(), "1:a0 1:b1 ");
  answer(1, 1, "y");
  EXPECT_EQ(sent(), "");
  answer(1, 0, "x");
  EXPECT_EQ(second.taken, "b=y;a=x;");
  EXPECT_EQ(sent(), "1:stop ");
  hello(0);
  answer(0, 0, "1");
  answer(0, 1, "2");
  EXPECT_EQ(sent(), "0:a0 0:b1 0:a2 0:b3 ");
  answer(0, 2, "3");
  answer(0, 3, "4");
  EXPECT_FALSE(session_->ended());
  say(0, protocol::Done{});
  say(1, protocol::Done{});
  EXPECT_TRUE(session_->ended());
  EXPECT_EQ(first.taken, "a=1;b=2;a=3;b=4;");
  EXPECT_EQ(session_->reasons(), (std::vector<std::string>{"", ""}));
  EXPECT_EQ(session_->progress(), (ProbeProgress{2, 2, 2, 0, 6}));
}

TEST_F(ProbeSessionTest, GivesEachNodesOwnReasonAndGoesOnWithTheOthers) {
  TwoFiles nodes[6];
  begin({&nodes[0], &nodes[1], &nodes[2], &nodes[3], &nodes[4], &nodes[5]});
  lose(0, "no connection within 20 s");
  hello(1, "0.0.1");
  for (const std::uint32_t node : {2U, 3U, 4U, 5U}) hello(node);
  answer(2, 0, "bad");
  say(3, protocol::Failed{protocol::StartFailure::could_not_start, "not understood"});
  lose(4, "the agent hung up");
  answer(5, 0, "x");
  answer(5, 1, "y");
  for (const std::uint32_t node : {1U, 2U, 3U, 5U}) say(node, protocol::Done{});
  lose(5, "the agent hung up");  // As it does after Done.
  EXPECT_TRUE(session_->ended());
  EXPECT_EQ(session_->reasons(),
            (std::vector<std::string>{"no connection within 20 s",
                                      "its adarun-agent is version 0.0.1, this is " + base::version(),
                                      "a: is bad", "not understood", "the agent hung up", ""}));
  EXPECT_EQ(session_->progress(), (ProbeProgress{6, 5, 1, 5, 3}));
  EXPECT_EQ(sent(), "1:stop 2:a0 2:b1 3:a0 3:b1 4:a0 4:b1 5:a0 5:b1 2:stop 3:stop 5:stop ");
}

TEST_F(ProbeSessionTest, WaitsNoLongerThanItsQuestionsMayTake) {
  TwoFiles node;
  begin({&node});
  EXPECT_FALSE(session_->deadline());  // The transport limits the time to connect.
  hello(0);
  const auto asked = now_;
  answer(0, 0, "x");
  ASSERT_TRUE(pass_time());
  EXPECT_EQ(now_ - asked, std::chrono::milliseconds(protocol::Query{}.deadline_ms) + ProbeSession::slack);
  EXPECT_EQ(session_->reasons(), std::vector<std::string>{"has not answered within 15 s"});
  EXPECT_FALSE(session_->ended());
  ASSERT_TRUE(pass_time());  // Also for an agent that does not exit.
  EXPECT_TRUE(session_->ended());
}

TEST_F(ProbeSessionTest, HeedsNoAnswerThatWasNotAskedFor) {
  TwoFiles node;
  begin({&node});
  answer(0, 0, "early");
  hello(0);
  answer(0, 7, "unknown");
  answer(0, 0, "x");
  answer(0, 0, "again");
  say(0, protocol::Ready{});
  answer(0, 1, "y");
  EXPECT_EQ(node.taken, "a=x;b=y;");
  EXPECT_EQ(session_->reasons(), std::vector<std::string>{""});
}

TEST_F(ProbeSessionTest, LetsANodeWaitForAnother) {
  TwoFiles leader;
  Follower follower(leader);
  begin({&leader, &follower});
  hello(1);
  EXPECT_EQ(sent(), "");
  EXPECT_EQ(session_->deadline(), std::nullopt);
  hello(0);
  EXPECT_EQ(sent(), "0:a0 0:b1 ");
  answer(0, 0, "x");
  EXPECT_EQ(sent(), "1:a0 1:b1 ");
  answer(1, 0, "y");
  answer(1, 1, "y");
  EXPECT_EQ(follower.taken, "a=y;b=y;");
  EXPECT_EQ(sent(), "1:stop ");
}

TEST_F(ProbeSessionTest, TellsAProbeThatItsNodeIsLost) {
  TwoFiles leader;
  Follower follower(leader);
  begin({&leader, &follower});
  hello(0);
  hello(1);
  sent();
  lose(0, "gone");
  EXPECT_TRUE(leader.lost);
  EXPECT_EQ(sent(), "1:a0 1:b1 ");
}

}  // namespace
}  // namespace adarun::launcher
