// SPDX-License-Identifier: Apache-2.0
#include "launcher/transport/loop/loop.h"

#include <algorithm>
#include <atomic>
#include <thread>
#include <utility>

#include "tests/launcher/transport/loop/loop_case.h"

namespace adarun::launcher {
namespace {

// Takes a byte at a time of what it is sent, and notes how much another node is sent while it takes the first
// `message_bytes`.
class SlowToTake : public FakeLink {
 public:
  SlowToTake(Script script, std::atomic<std::size_t>* written, std::size_t message_bytes,
             const std::atomic<std::size_t>* others, std::atomic<std::size_t>* others_meanwhile)
      : FakeLink(std::move(script), written),
        message_bytes_(message_bytes),
        others_(others),
        others_meanwhile_(others_meanwhile) {}

  std::size_t write(std::string_view bytes) override {
    if (taken_ == 0) others_before_ = *others_;
    if (taken_++ < message_bytes_) *others_meanwhile_ = *others_ - others_before_;
    return FakeLink::write(bytes.substr(0, 1));
  }

 private:
  std::size_t message_bytes_;
  const std::atomic<std::size_t>* others_;
  std::atomic<std::size_t>* others_meanwhile_;
  std::size_t others_before_ = 0;
  std::size_t taken_ = 0;
};

// Needs several calls until it is closed.
class SlowToClose : public FakeLink {
 public:
  SlowToClose(Script script, std::atomic<std::size_t>* written, std::atomic<int>* closed)
      : FakeLink(std::move(script), written), closed_(closed) {}

  bool close() override {
    if (--calls_ > 0) return false;
    ++*closed_;
    return true;
  }

 private:
  int calls_ = 3;
  std::atomic<int>* closed_;
};

TEST_F(LoopTest, GivesTheAgentsMessagesAndSendsPings) {
  const TransportEvent event = first_event({hello(), true, false, "", ""}, {1s, 200ms, 1});
  EXPECT_EQ(std::get<protocol::Message>(event.what), protocol::Message(protocol::Hello{"1", "h", 2, 3}));
  EXPECT_EQ(steps_, std::vector<std::string>{"start the agent"});
  EXPECT_EQ(std::get<LinkLost>(next_event().what), (LinkLost{"no sign of life for 200 ms" + mend, 690ms}))
      << "a ping may have come, and its watchdog takes a second look";
  EXPECT_GT(written_, 0U);
}

TEST_F(LoopTest, GivesUpANodeThatDoesNotConnect) {
  EXPECT_EQ(reason(first_event({"", false, false, "", ""}, {50ms, 10s, 1})), "no connection within 50 ms");
}

TEST_F(LoopTest, GivesUpANodeWhoseAgentSaysNothing) {
  EXPECT_EQ(reason(first_event({"motd\n", true, false, "", ""}, {100ms, 10s, 1})).substr(0, 38),
            "the agent did not answer within 100 ms");
}

TEST_F(LoopTest, SaysWhatTheShellPrintedInsteadOfAnAgent) {
  const Script script{"sh: adarun-agent: not found\n", true, true, "", "exit status 127"};
  const std::string text = reason(first_event(script, {1s, 10s, 1}));
  EXPECT_EQ(text.substr(0, 34), "no agent answered: exit status 127");
  EXPECT_NE(text.find("it printed: sh: adarun-agent"), std::string::npos) << text;
}

TEST_F(LoopTest, TellsWhatWasPrintedBeforeTheAgentAnswered) {
  EXPECT_EQ(std::get<LinkPreamble>(first_event({"motd\n" + hello(), true, false, "", ""}, {1s, 10s, 1}).what),
            LinkPreamble{"motd\n"});
  EXPECT_TRUE(std::holds_alternative<protocol::Message>(next_event().what));
}

TEST_F(LoopTest, LosesAnAgentThatDoesNotBeginWithHello) {
  const Script script{std::string(protocol::magic) + protocol::encode(protocol::Joined{0}), true, false, "",
                      ""};
  EXPECT_EQ(reason(first_event(script, {1s, 10s, 1})),
            "the agent sent what is no frame of ours: something before its Hello");
}

TEST_F(LoopTest, LosesAnAgentThatSendsGarbage) {
  first_event({hello() + "\xff\xff\xff\xff\xff\xff", true, false, "", "on node1: careful\n"}, {1s, 10s, 1});
  const TransportEvent event = next_event();
  const std::string text = reason(event);
  EXPECT_EQ(std::get<LinkLost>(event.what).runs_on, 10s);
  EXPECT_EQ(text.substr(0, 43), "the agent sent what is no frame of ours: fr");
  EXPECT_TRUE(text.ends_with("; on node1: careful")) << text;
}

TEST_F(LoopTest, LosesANodeThatNeverSaysThatItHasWhatItWasSent) {
  first_event({hello(), true, false, "", ""}, {1s, 10s, 1, 100'000});
  for (int i = 0; i < 4; ++i) loop_->send(0, protocol::StagePart{0, 0, std::string(30'000, 'x')});
  EXPECT_EQ(std::get<LinkLost>(next_event().what),
            (LinkLost{"its agent does not take in what it is sent", 10s}));
}

TEST_F(LoopTest, PassesOnWhyALinkBroke) {
  first_event({hello(), true, false, "connection reset", ""}, {1s, 10s, 1});
  EXPECT_EQ(reason(next_event()), "connection reset");
}

// Byte by byte it takes longer than an interval of pings.
TEST_F(LoopTest, PingsTheOthersWhileOneTakesALongMessage) {
  constexpr std::size_t message_bytes = 2U << 20U;
  std::atomic<bool> may_open = false;
  std::atomic<std::size_t> others = 0;
  std::atomic<std::size_t> others_meanwhile = 0;
  const Script script{hello(), true, false, "", "", &may_open};
  loop_.emplace(LinkOptions{60s, 5ms, 2});
  add(std::make_unique<SlowToTake>(script, &written_, message_bytes, &others, &others_meanwhile));
  add(std::make_unique<FakeLink>(script, &others));
  loop_->take_silence(Transport::Silence::excused);
  loop_->send(0, protocol::StagePart{0, 0, std::string(message_bytes, 'x')});
  may_open = true;
  const auto deadline = std::chrono::steady_clock::now() + 60s;
  while (written_ < message_bytes && std::chrono::steady_clock::now() < deadline) std::this_thread::yield();
  EXPECT_GE(written_, message_bytes);
  EXPECT_GT(others_meanwhile, 0U);
}

TEST_F(LoopTest, ServesTheOthersWhileOneTakesItsLeave) {
  const std::atomic<bool> never = false;
  std::atomic<bool> first_is_lost = false;
  loop_.emplace(LinkOptions{10s, 10s, 2});
  add(std::make_unique<FakeLink>(Script{"", true, false, "cable cut", "", nullptr, &never}, &written_));
  add(std::make_unique<FakeLink>(Script{hello(), true, false, "", "", &first_is_lost}, &written_));
  EXPECT_EQ(reason(next_event()), "cable cut");
  first_is_lost = true;
  EXPECT_TRUE(std::holds_alternative<protocol::Message>(next_event().what));
  loop_.reset();  // This does not wait for ever either.
}

// The messages of an agent that can be reconnected to.
std::string resumable_hello() {
  return std::string(protocol::magic) + protocol::encode(protocol::Hello{"1", "h", 2, 3}) +
         protocol::encode(protocol::Rendezvous{{"/bin/agent", "--resume", "/there"}});
}

TEST_F(LoopTest, ReachesNodesThatAreAddedLater) {
  first_event({hello(), true, false, "", ""}, {10s, 10s, 1});
  std::atomic<std::size_t> of_second = 0;
  std::vector<NodeLink> links;
  links.push_back({"late", std::make_unique<FakeLink>(Script{hello(), true, false, "", ""}, &of_second)});
  EXPECT_EQ(loop_->add(std::move(links)), 1U);
  const std::size_t size = protocol::encode(protocol::Ping{}).size() + 1'000;
  loop_->send(1, protocol::Input{0, std::string(1'000, 'x')});
  EXPECT_EQ(next_event().node, 1U) << "its Hello";
  const auto deadline = std::chrono::steady_clock::now() + 10s;
  while (of_second < size && std::chrono::steady_clock::now() < deadline) std::this_thread::yield();
  EXPECT_GE(of_second, size);
}

TEST_F(LoopTest, WritesDownWhatGoesOverItIfItHasALog) {
  base::Log log{"adarun"};
  std::vector<std::string> said;
  log.divert([&said](const std::string& line) { said.push_back(line); });
  log.show(base::Level::debug);
  loop_.emplace(LinkOptions{10s, 10s, 1}, &log);
  const std::string sends = hello() + protocol::encode(protocol::Diagnostic{"8 processes forked"}) +
                            protocol::encode(protocol::Joined{7});
  add(std::make_unique<FakeLink>(Script{sends, true, false, "", ""}, &written_));
  loop_->send(0U, protocol::Stop{true});
  next_event();
  EXPECT_EQ(std::get<protocol::Message>(next_event().what), protocol::Message(protocol::Joined{7}))
      << "what agents say is kept from others";
  for (const char* line : {"node: <- Stop: at once", "node: agent: 8 processes forked"})
    EXPECT_NE(std::find(said.begin(), said.end(), line), said.end()) << line;
  loop_.reset();
}

TEST_F(LoopTest, ContinuesOverAnotherLinkWhereTheFirstOneBreaks) {
  // Half a message before the cut, the other half after it.
  const std::string message = protocol::encode(protocol::Joined{7});
  std::vector<std::string> command;
  const auto relink = [&](const std::vector<std::string>& words) -> std::unique_ptr<Link> {
    command = words;
    const std::string sends =
        "motd\n" + std::string(protocol::magic) + protocol::encode(protocol::Resumed{0}) + message.substr(6);
    return std::make_unique<FakeLink>(Script{sends, true, false, "", ""}, &written_);
  };
  run(std::make_unique<FakeLink>(
          Script{resumable_hello() + message.substr(0, 6), true, false, "cable cut", ""}, &written_),
      LinkOptions{10s, 10s, 1}, relink);
  EXPECT_TRUE(std::holds_alternative<protocol::Message>(next_event().what));
  EXPECT_EQ(std::get<LinkCut>(next_event().what).reason, "cable cut");
  TransportEvent event = next_event();
  const bool resumed_first = std::holds_alternative<LinkResumed>(event.what);
  const TransportEvent other = next_event();
  EXPECT_TRUE(std::holds_alternative<LinkResumed>(resumed_first ? event.what : other.what));
  EXPECT_EQ(std::get<protocol::Message>(resumed_first ? other.what : event.what),
            protocol::Message(protocol::Joined{7}));
  loop_.reset();
  EXPECT_EQ(command, (std::vector<std::string>{"/bin/agent", "--resume", "/there"}));
}

TEST_F(LoopTest, TakesNoCommandOfANodeForAWayBackButThatOfAnAgent) {
  const std::vector<std::vector<std::string>> commands{
      {},
      {"/bin/agent"},
      {"--prolog=/tmp/x", "--resume", "/s"},
      {"/bin/agent", "--prolog=/tmp/x", "/s"},
      {"/bin/agent", "--resume", "--output=/tmp/x"},
      {"/bin/agent", "--resume", "s"},
      {"bin/agent", "--resume", "/s"},
      {"/bin/agent", "--resume", "/s", "--nodelist=other"},
      {"/bin/agent\nreboot", "--resume", "/s"},
      {"/bin/agent", "--resume", std::string("/s\0", 3)},
      {"/bin/agent", "--resume", "/" + std::string(5000, 's')}};
  for (const std::vector<std::string>& command : commands) {
    const std::string sends = hello() + protocol::encode(protocol::Rendezvous{command});
    first_event({sends, true, false, "", ""}, {1s, 10s, 1});
    EXPECT_EQ(reason(next_event()),
              "the agent sent what is no frame of ours: rendezvous: wanted /PROGRAM --resume /SOCKET")
        << testing::PrintToString(command);
  }
}

// For example a host of a resize, behind a jump host whose session has a thread.
TEST_F(LoopTest, ReleasesTheWayBackToANodeThatIsLost) {
  auto session = std::make_shared<int>();
  const std::weak_ptr<int> watched = session;
  run(std::make_unique<FakeLink>(Script{"", true, false, "no route", ""}, &written_),
      LinkOptions{10s, 10s, 1},
      [held = std::move(session)](const std::vector<std::string>&) { return std::unique_ptr<Link>(); });
  EXPECT_TRUE(std::holds_alternative<LinkLost>(next_event().what));
  EXPECT_TRUE(watched.expired());
}

TEST_F(LoopTest, GivesUpAnAgentThatIsGone) {
  const auto relink = [&](const std::vector<std::string>&) -> std::unique_ptr<Link> {
    const std::string sends = std::string(protocol::magic) + protocol::encode(protocol::Done{});
    return std::make_unique<FakeLink>(Script{sends, true, false, "", ""}, &written_);
  };
  run(std::make_unique<FakeLink>(Script{resumable_hello(), true, false, "cut", ""}, &written_),
      LinkOptions{10s, 10s, 1}, relink);
  next_event();
  next_event();
  EXPECT_EQ(std::get<LinkLost>(next_event().what), (LinkLost{"cut", 0ms}));
}

TEST_F(LoopTest, GivesUpAnAgentThatIsNotMetAndSaysHowLongItMayRun) {
  const auto relink = [&](const std::vector<std::string>&) -> std::unique_ptr<Link> {
    const std::string sends = std::string(protocol::magic) +
                              protocol::encode(protocol::Failed{protocol::StartFailure{}, "no such file"});
    return std::make_unique<FakeLink>(Script{sends, true, false, "", ""}, &written_);
  };
  for (const bool ended : {false, true}) {
    const std::string text = ended ? "it was killed; all its processes are ended" : "it was killed";
    const Script script{resumable_hello(), true, true, "", text};
    run(std::make_unique<FakeLink>(script, &written_), LinkOptions{10s, 10s, 1}, relink);
    events_.clear();
    next_event();
    next_event();
    EXPECT_EQ(std::get<LinkLost>(next_event().what),
              (LinkLost{"the agent hung up: " + text, ended ? 0s : 10s}));
  }
}

TEST_F(LoopTest, LooksForNoOtherLinkWhereOneHasEndedForGood) {
  const auto relink = [&](const std::vector<std::string>&) -> std::unique_ptr<Link> {
    return std::make_unique<FakeLink>(Script{"", true, true, "", "job over", nullptr, nullptr, true},
                                      &written_);
  };
  run(std::make_unique<FakeLink>(Script{resumable_hello(), true, false, "cut", ""}, &written_),
      LinkOptions{10s, 10min, 1}, relink);
  next_event();
  next_event();
  EXPECT_EQ(reason(next_event()), "cut");
}

// For example a link with a process to be reaped.
TEST_F(LoopTest, SeesOffALinkThatLedNowhere) {
  std::atomic<int> made = 0;
  std::atomic<int> closed = 0;
  const auto relink = [&](const std::vector<std::string>&) -> std::unique_ptr<Link> {
    ++made;
    return std::make_unique<SlowToClose>(Script{"", true, false, "no route", ""}, &written_, &closed);
  };
  run(std::make_unique<FakeLink>(Script{resumable_hello(), true, false, "cut", ""}, &written_),
      LinkOptions{10s, 300ms, 1}, relink);
  next_event();
  next_event();
  next_event();
  loop_.reset();
  EXPECT_GT(made, 0);
  EXPECT_EQ(closed, made);
}

TEST_F(LoopTest, LooksForALinkUntilTheLeaseIsOver) {
  const auto relink = [&](const std::vector<std::string>&) -> std::unique_ptr<Link> {
    return std::make_unique<FakeLink>(Script{"", true, false, "no route", ""}, &written_);
  };
  run(std::make_unique<FakeLink>(Script{resumable_hello(), true, false, "cut", ""}, &written_),
      LinkOptions{10s, 300ms, 1}, relink);
  next_event();
  next_event();
  EXPECT_EQ(reason(next_event()), "cut; no way back within 300 ms: no route" + mend);
}

// More than is read before events are taken; the pings sent meanwhile show that this point was reached.
TEST_F(LoopTest, DropsNothingOfWhatCameBeforeTheEnd) {
  std::string sends = hello();
  for (int i = 0; i < 40; ++i)
    sends += protocol::encode(protocol::Output{0, protocol::Stream::out, std::string(1'000'000, 'x')});
  run(std::make_unique<FakeLink>(Script{sends, true, true, "", ""}, &written_), LinkOptions{1s, 10s, 1});
  const auto deadline = std::chrono::steady_clock::now() + 10s;
  while (written_ == 0 && std::chrono::steady_clock::now() < deadline) std::this_thread::yield();
  next_event();
  std::size_t bytes = 0;
  while (true) {
    const TransportEvent event = next_event();
    if (std::holds_alternative<LinkLost>(event.what)) break;
    bytes += std::get<protocol::Output>(std::get<protocol::Message>(event.what)).bytes.size();
  }
  EXPECT_EQ(bytes, 40'000'000U);
}

// A few bytes of a node unpack to megabytes: they stay packed until there is room for them.
TEST_F(LoopTest, TakesInNoMoreThanThereIsRoomForHoweverSmallTheFrames) {
  constexpr std::size_t fence_bytes = 2U << 20U;
  constexpr std::size_t fences = 24;
  constexpr std::size_t room = 8U << 20U;
  std::string sends = hello();
  for (std::size_t i = 0; i < fences; ++i)
    sends += protocol::encode(protocol::Fence{{}, std::string(fence_bytes, 'x')});
  ASSERT_LT(sends.size(), 2000U);
  run(std::make_unique<FakeLink>(Script{sends, true, true, "", ""}, &written_), LinkOptions{1s, 10s, 1});
  const auto deadline = std::chrono::steady_clock::now() + 10s;
  while (written_ == 0 && std::chrono::steady_clock::now() < deadline) std::this_thread::yield();
  std::size_t seen = 0;
  for (bool lost = false; !lost;) {
    pollfd polled{loop_->ready_fd(), POLLIN, 0};
    ASSERT_EQ(poll(&polled, 1, 10'000), 1);
    std::size_t held = 0;
    for (const TransportEvent& event : loop_->take()) {
      lost = lost || std::holds_alternative<LinkLost>(event.what);
      const auto* message = std::get_if<protocol::Message>(&event.what);
      if (message == nullptr || !std::holds_alternative<protocol::Fence>(*message)) continue;
      held += std::get<protocol::Fence>(*message).data.size();
      ++seen;
    }
    EXPECT_LE(held, room + fence_bytes);
  }
  EXPECT_EQ(seen, fences);
}

}  // namespace
}  // namespace adarun::launcher
