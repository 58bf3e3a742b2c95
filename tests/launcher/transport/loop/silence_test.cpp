// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <chrono>
#include <cstddef>
#include <string>
#include <thread>
#include <utility>
#include <variant>

#include "tests/launcher/await.h"
#include "tests/launcher/transport/loop/loop_case.h"

namespace adarun::launcher {
namespace {

// The whole process is stopped for a while after a link had nothing to read; the agent's last bytes arrive
// meanwhile, or some reads after it: what brings them may have had no processor either.
TEST_F(LoopTest, CountsNoTimeAsSilenceInWhichItDidNotRun) {
  const struct {
    std::chrono::milliseconds stop;
    std::chrono::milliseconds lease;
    int late_reads;
    protocol::Message words;
  } cases[] = {
      {300ms, 200ms, 0, protocol::Failed{protocol::StartFailure::could_not_start, "nothing heard"}},
      {1'500ms, 1s, 3, protocol::Joined{7}},
  };
  for (auto each : cases) {
    bool stopped = false;
    std::string comes_meanwhile = protocol::encode(each.words);
    run({.sends = hello(),
         .more = [&] { return stopped && each.late_reads-- <= 0 ? std::exchange(comes_meanwhile, "") : ""; },
         .has_ended =
             [&] {
               stopped = true;
               std::this_thread::sleep_for(std::exchange(each.stop, 0ms));
               return false;
             }},
        {1s, each.lease, 1});
    next_event();  // The hello.
    EXPECT_EQ(message(next_event()), each.words);
    loop_.reset();
  }
}

bool always() {
  return true;
}

TEST_F(LoopTest, BearsWithABusyNodeForSixLeases) {
  run({.sends = hello(), .acknowledges = always}, {1s, 200ms, 1});
  next_event();  // The hello.
  EXPECT_EQ(
      std::get<LinkCut>(next_event().what),
      (LinkCut{"busy: its agent has not answered for 100 ms, though the node acknowledges what it is sent; "
               "waiting for 1.1 s more",
               LinkCut::Kind::busy}));
  EXPECT_EQ(
      lost(next_event()),
      (LinkLost{"its agent has not answered for 1.2 s, though the node acknowledges what it is sent (is the "
                "node overloaded, or short of memory?)",
                880ms}))
      << "it may take in later what was sent before";
}

TEST_F(LoopTest, TellsThatABusyNodeAnswersAgain) {
  std::atomic<bool> wakes = false;
  std::string words = protocol::encode(protocol::Joined{7});
  run({.sends = hello(),
       .more = [&] { return wakes ? std::exchange(words, "") : ""; },
       .acknowledges = always},
      {10s, 10s, 1});
  loop_->take_silence(Transport::Silence::counts);
  next_event();  // The hello.
  EXPECT_EQ(std::get<LinkCut>(next_event().what).kind, LinkCut::Kind::busy);
  wakes = true;
  EXPECT_TRUE(std::holds_alternative<LinkResumed>(next_event().what));
  EXPECT_EQ(message(next_event()), protocol::Message(protocol::Joined{7}));
  loop_.reset();
}

TEST_F(LoopTest, LosesABusyNodeThatIsCutOffALeaseAfterItsLastAcknowledgement) {
  std::atomic<bool> is_acknowledged = true;
  run({.sends = hello(), .acknowledges = [&] { return is_acknowledged.load(); }}, {1s, 1s, 1});
  next_event();  // The hello.
  EXPECT_EQ(std::get<LinkCut>(next_event().what).kind, LinkCut::Kind::busy);
  is_acknowledged = false;
  EXPECT_EQ(lost(next_event()), (LinkLost{"no sign of life for 1 s" + mend, 1'600ms}))
      << "it may take in later what it acknowledged";
  loop_.reset();
}

TEST_F(LoopTest, LosesNoNodeForASilenceThatIsExcused) {
  std::atomic<bool> may_open = false;
  run({.sends = hello(), .may_open = [&] { return may_open.load(); }}, {10s, 50ms, 1});
  loop_->take_silence(Transport::Silence::excused);
  may_open = true;
  next_event();                                                                   // The hello.
  const std::size_t ten_pings = 10 * protocol::encode(protocol::Ping{1}).size();  // Some are sent in a lease.
  EXPECT_TRUE(await([&] { return written_ >= ten_pings; }, 30s));
  EXPECT_TRUE(loop_->take().empty());
  loop_->take_silence(Transport::Silence::counts);
  EXPECT_EQ(reason(next_event()), "no sign of life for 50 ms" + mend);
  loop_.reset();
}

}  // namespace
}  // namespace adarun::launcher
