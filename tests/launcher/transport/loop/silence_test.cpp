// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atomic>
#include <thread>
#include <utility>

#include "tests/launcher/transport/loop/loop_case.h"

namespace adarun::launcher {
namespace {

// The node's kernel acknowledges what it is sent; its agent sends more once `wakes`.
class BusyLink : public FakeLink {
 public:
  BusyLink(Script script, std::atomic<std::size_t>* written, const std::atomic<bool>* is_acknowledged,
           const std::atomic<bool>* wakes, std::string sends_then)
      : FakeLink(std::move(script), written),
        is_acknowledged_(is_acknowledged),
        wakes_(wakes),
        sends_then_(std::move(sends_then)) {}

  bool is_acknowledged() const override { return *is_acknowledged_; }
  std::size_t read(std::span<char> buffer) override {
    if (!*wakes_ || sends_then_.empty()) return FakeLink::read(buffer);
    std::ranges::copy(sends_then_, buffer.begin());
    return std::exchange(sends_then_, "").size();
  }

 private:
  const std::atomic<bool>* is_acknowledged_;
  const std::atomic<bool>* wakes_;
  std::string sends_then_;
};

// The whole process is stopped for a while after this link had nothing to read; the agent's last bytes arrive
// meanwhile, or `late_reads` reads after it.
class StoppedLink : public FakeLink {
 public:
  StoppedLink(Script script, std::atomic<std::size_t>* written, std::string comes_meanwhile,
              std::chrono::milliseconds stop, int late_reads = 0)
      : FakeLink(std::move(script), written),
        comes_meanwhile_(std::move(comes_meanwhile)),
        stop_(stop),
        late_reads_(late_reads) {}

  bool ended() const override {
    stopped_ = true;
    std::this_thread::sleep_for(std::exchange(stop_, 0ms));
    return false;
  }
  std::size_t read(std::span<char> buffer) override {
    if (!stopped_ || comes_meanwhile_.empty() || late_reads_-- > 0) return FakeLink::read(buffer);
    std::ranges::copy(comes_meanwhile_, buffer.begin());
    return std::exchange(comes_meanwhile_, "").size();
  }

 private:
  std::string comes_meanwhile_;
  mutable std::chrono::milliseconds stop_;
  int late_reads_;
  mutable bool stopped_ = false;
};

TEST_F(LoopTest, ReadsWhatCameWhileItWasStoppedBeforeItCountsTheSilence) {
  const protocol::Failed words{protocol::StartFailure::could_not_start, "nothing heard"};
  run(std::make_unique<StoppedLink>(Script{hello(), true, false, "", ""}, &written_, protocol::encode(words),
                                    300ms),
      LinkOptions{1s, 200ms, 1});
  next_event();  // the hello
  EXPECT_EQ(std::get<protocol::Message>(next_event().what), protocol::Message(words));
}

// What brings the bytes of a node may have had no processor either.
TEST_F(LoopTest, DoesNotCountATimeInWhichItDidNotRunAsSilence) {
  const protocol::Joined words{7};
  run(std::make_unique<StoppedLink>(Script{hello(), true, false, "", ""}, &written_, protocol::encode(words),
                                    1'500ms, 3),
      LinkOptions{1s, 1s, 1});
  next_event();  // the hello
  EXPECT_EQ(std::get<protocol::Message>(next_event().what), protocol::Message(words));
}

TEST_F(LoopTest, BearsWithABusyNodeForSixLeases) {
  const std::atomic<bool> always = true;
  const std::atomic<bool> never = false;
  run(std::make_unique<BusyLink>(Script{hello(), true, false, "", ""}, &written_, &always, &never, ""),
      LinkOptions{1s, 200ms, 1});
  next_event();  // the hello
  EXPECT_EQ(
      std::get<LinkCut>(next_event().what),
      (LinkCut{"busy: its agent has not answered for 100 ms, though the node acknowledges what it is sent; "
               "waiting for 1.1 s more",
               LinkCut::Kind::busy}));
  EXPECT_EQ(
      std::get<LinkLost>(next_event().what),
      (LinkLost{"its agent has not answered for 1.2 s, though the node acknowledges what it is sent (is the "
                "node overloaded, or short of memory?)",
                880ms}))
      << "it may take in later what was sent before";
}

TEST_F(LoopTest, TellsThatABusyNodeAnswersAgain) {
  const std::atomic<bool> always = true;
  std::atomic<bool> wakes = false;
  const protocol::Joined words{7};
  run(std::make_unique<BusyLink>(Script{hello(), true, false, "", ""}, &written_, &always, &wakes,
                                 protocol::encode(words)),
      LinkOptions{10s, 10s, 1});
  loop_->take_silence(Transport::Silence::counts);
  next_event();  // the hello
  EXPECT_EQ(std::get<LinkCut>(next_event().what).kind, LinkCut::Kind::busy);
  wakes = true;
  EXPECT_TRUE(std::holds_alternative<LinkResumed>(next_event().what));
  EXPECT_EQ(std::get<protocol::Message>(next_event().what), protocol::Message(words));
}

TEST_F(LoopTest, LosesABusyNodeThatIsCutOffALeaseAfterItsLastAcknowledgement) {
  std::atomic<bool> is_acknowledged = true;
  const std::atomic<bool> never = false;
  run(std::make_unique<BusyLink>(Script{hello(), true, false, "", ""}, &written_, &is_acknowledged, &never,
                                 ""),
      LinkOptions{1s, 1s, 1});
  next_event();  // the hello
  EXPECT_EQ(std::get<LinkCut>(next_event().what).kind, LinkCut::Kind::busy);
  is_acknowledged = false;
  EXPECT_EQ(std::get<LinkLost>(next_event().what), (LinkLost{"no sign of life for 1 s" + mend, 1'600ms}))
      << "it may take in later what it acknowledged";
}

TEST_F(LoopTest, LosesNoNodeForASilenceThatIsExcused) {
  std::atomic<bool> may_open = false;
  run(std::make_unique<FakeLink>(Script{hello(), true, false, "", "", &may_open}, &written_),
      LinkOptions{10s, 50ms, 1});
  loop_->take_silence(Transport::Silence::excused);
  may_open = true;
  next_event();                                                                   // The hello.
  const std::size_t ten_pings = 10 * protocol::encode(protocol::Ping{1}).size();  // Some are sent in a lease.
  const auto deadline = std::chrono::steady_clock::now() + 30s;
  while (written_ < ten_pings && std::chrono::steady_clock::now() < deadline) std::this_thread::yield();
  EXPECT_GE(written_, ten_pings);
  EXPECT_TRUE(loop_->take().empty());
  loop_->take_silence(Transport::Silence::counts);
  EXPECT_EQ(reason(next_event()), "no sign of life for 50 ms" + mend);
}

}  // namespace
}  // namespace adarun::launcher
