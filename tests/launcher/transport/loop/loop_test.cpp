// SPDX-License-Identifier: Apache-2.0
#include "launcher/transport/loop/loop.h"

#include <gtest/gtest.h>

#include <poll.h>
#include <regex>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "tests/launcher/await.h"
#include "tests/launcher/transport/loop/loop_case.h"

namespace adarun::launcher {
namespace {

std::string first_frame(const protocol::Message& message) {
  return std::string(protocol::magic) + protocol::encode(message);
}

TEST_F(LoopTest, GivesTheAgentsMessagesAndSendsPings) {
  EXPECT_EQ(message(first_event({hello()}, {1s, 200ms, 1})),
            protocol::Message(protocol::Hello{"1", "h", 2, 3}));
  EXPECT_EQ(steps_, std::vector<std::string>{"start the agent"});
  EXPECT_EQ(lost(next_event()), (LinkLost{"no sign of life for 200 ms" + mend, 690ms}))
      << "a ping may have come, and its watchdog takes a second look";
  EXPECT_GT(written_, 0U);
}

TEST_F(LoopTest, SendsAPingOfANumberOfItsOwnInEachInterval) {
  constexpr std::chrono::milliseconds interval = 10ms;  // Of this lease.
  std::atomic<bool> may_open = false;
  std::atomic<std::size_t> pings = 0;
  std::set<std::uint64_t> numbers;
  protocol::FrameReader agent(protocol::Opening::frame);
  const auto begin = std::chrono::steady_clock::now();
  run({.sends = hello(),
       .takes =
           [&](std::string_view bytes) {
             agent.feed(bytes);
             while (const auto sent = agent.next())
               if (const auto* ping = std::get_if<protocol::Ping>(&*sent)) {
                 numbers.insert(ping->sequence);
                 ++pings;
               }
             return bytes.size();
           },
       .may_open = [&] { return may_open.load(); }},
      {10s, 20 * interval, 1});
  loop_->take_silence(Transport::Silence::excused);
  may_open = true;
  EXPECT_TRUE(await([&] { return pings >= 10; }));
  loop_.reset();
  EXPECT_EQ(numbers.size(), pings);
  EXPECT_LE(pings, 2 + (std::chrono::steady_clock::now() - begin) / interval)
      << "at once, at its Hello, and after each interval";
}

TEST_F(LoopTest, SaysWhyNoAgentAnswers) {
  const std::string no_frame = "the agent sent what is no frame of ours: ";
  const struct {
    Script script;
    LinkOptions options;
    std::string reason;
  } cases[] = {
      {{.opens = false}, {50ms, 10s, 1}, "no connection within 50 ms"},
      {{"motd\n"},
       {100ms, 10s, 1},
       "the agent did not answer within 100 ms: no agent answered: it printed: motd"},
      {{.sends = "motd\n", .status_text = "careful\n", .step = "login shell of ada"},
       {100ms, 10s, 1},
       "the agent did not answer within 100 ms: the login shell of ada has run for TIME and not started it "
       "(what do its start-up files wait for?); careful; it printed: motd"},
      {{.sends = "not available\n",
        .ends = true,
        .status_text = "exit status 1",
        .step = "login shell of ada"},
       {1s, 10s, 1},
       "no agent answered: the login shell of ada ended before it started the agent; exit status 1; it "
       "printed: not available"},
      {{.sends = "sh: adarun-agent: not found\n", .ends = true, .status_text = "exit status 127"},
       {1s, 10s, 1},
       "no agent answered: exit status 127; it printed: sh: adarun-agent: not found"},
      {{first_frame(protocol::Joined{0})}, {1s, 10s, 1}, no_frame + "something before its Hello"},
  };
  for (const auto& each : cases)
    EXPECT_EQ(std::regex_replace(reason(first_event(each.script, each.options)),
                                 std::regex("for [0-9.]+ m?s"), "for TIME"),
              each.reason);
}

TEST_F(LoopTest, TellsWhatWasPrintedBeforeTheAgentAnswered) {
  EXPECT_EQ(std::get<LinkPreamble>(first_event({"motd\n" + hello()}).what), LinkPreamble{"motd\n"});
  EXPECT_TRUE(std::holds_alternative<protocol::Message>(next_event().what));
}

TEST_F(LoopTest, LosesAnAgentThatSendsGarbage) {
  first_event({.sends = hello() + "\xff\xff\xff\xff\xff\xff", .status_text = "on node1: careful\n"});
  const LinkLost found = lost(next_event());
  EXPECT_EQ(found.runs_on, 10s);
  EXPECT_EQ(found.reason.substr(0, 43), "the agent sent what is no frame of ours: fr");
  EXPECT_TRUE(found.reason.ends_with("; on node1: careful")) << found.reason;
}

TEST_F(LoopTest, LosesANodeThatNeverSaysThatItHasWhatItWasSent) {
  first_event({hello()}, {1s, 10s, 1, 100'000});
  for (int i = 0; i < 4; ++i) loop_->send(0, protocol::StagePart{0, 0, std::string(30'000, 'x')});
  EXPECT_EQ(lost(next_event()), (LinkLost{"its agent does not take in what it is sent", 10s}));
}

TEST_F(LoopTest, PassesOnWhyALinkBroke) {
  first_event({.sends = hello(), .breaks = "connection reset"});
  EXPECT_EQ(reason(next_event()), "connection reset");
}

// Byte by byte it takes longer than an interval of pings.
TEST_F(LoopTest, PingsTheOthersWhileOneTakesALongMessage) {
  constexpr std::size_t message_bytes = 2U << 20U;
  std::atomic<bool> may_open = false;
  std::atomic<std::size_t> taken = 0;
  std::size_t others_before = 0;
  std::atomic<std::size_t> others_meanwhile = 0;
  loop_.emplace(LinkOptions{60s, 5ms, 2});
  add({.sends = hello(),
       .takes =
           [&](std::string_view /*bytes*/) {
             if (taken == 0) others_before = written_;
             if (taken++ < message_bytes) others_meanwhile = written_ - others_before;
             return std::size_t{1};
           },
       .may_open = [&] { return may_open.load(); }});
  add({.sends = hello(), .may_open = [&] { return may_open.load(); }});
  loop_->take_silence(Transport::Silence::excused);
  loop_->send(0, protocol::StagePart{0, 0, std::string(message_bytes, 'x')});
  may_open = true;
  EXPECT_TRUE(await([&] { return taken >= message_bytes; }, 60s));
  EXPECT_GT(others_meanwhile, 0U);
  loop_.reset();
}

TEST_F(LoopTest, ServesTheOthersWhileOneTakesItsLeave) {
  std::atomic<bool> first_is_lost = false;
  loop_.emplace(LinkOptions{10s, 10s, 2});
  add({.breaks = "cable cut", .may_close = [] { return false; }});
  add({.sends = hello(), .may_open = [&] { return first_is_lost.load(); }});
  EXPECT_EQ(reason(next_event()), "cable cut");
  first_is_lost = true;
  EXPECT_TRUE(std::holds_alternative<protocol::Message>(next_event().what));
  loop_.reset();  // This does not wait for ever either.
}

TEST_F(LoopTest, ReachesNodesThatAreAddedLater) {
  first_event({hello()}, {10s, 10s, 1});
  std::atomic<std::size_t> of_second = 0;
  std::vector<NodeLink> links;
  links.push_back({"late", link({.sends = hello(), .takes = [&](std::string_view bytes) {
                                   of_second += bytes.size();
                                   return bytes.size();
                                 }})});
  EXPECT_EQ(loop_->add(std::move(links)), 1U);
  const std::size_t size = protocol::encode(protocol::Ping{}).size() + 1'000;
  loop_->send(1, protocol::Input{0, std::string(1'000, 'x')});
  EXPECT_EQ(next_event().node, 1U) << "its Hello";
  EXPECT_TRUE(await([&] { return of_second >= size; }));
  loop_.reset();
}

TEST_F(LoopTest, WritesDownWhatGoesOverItIfItHasALog) {
  base::Log log{"adarun"};
  std::vector<std::string> said;
  log.divert([&said](const std::string& line) { said.push_back(line); });
  log.show(base::Level::debug);
  loop_.emplace(LinkOptions{10s, 10s, 1}, &log);
  add({hello() + protocol::encode(protocol::Diagnostic{"8 processes forked"}) +
       protocol::encode(protocol::Joined{7})});
  loop_->send(0U, protocol::Stop{true});
  next_event();
  EXPECT_EQ(message(next_event()), protocol::Message(protocol::Joined{7}))
      << "what agents say is kept from others";
  for (const char* line : {"node: <- Stop: at once", "node: agent: 8 processes forked"})
    EXPECT_NE(std::find(said.begin(), said.end(), line), said.end()) << line;
  loop_.reset();
}

TEST_F(LoopTest, ContinuesOverAnotherLinkWhereTheFirstOneBreaks) {
  // Half a message before the cut, the other half after it.
  const std::string half = protocol::encode(protocol::Joined{7});
  std::vector<std::string> command;
  run({.sends = resumable_hello() + half.substr(0, 6), .breaks = "cable cut"}, {10s, 10s, 1},
      [&](const std::vector<std::string>& words) {
        command = words;
        return link({"motd\n" + first_frame(protocol::Resumed{0}) + half.substr(6)});
      });
  EXPECT_TRUE(std::holds_alternative<protocol::Message>(next_event().what));
  EXPECT_EQ(std::get<LinkCut>(next_event().what).reason, "cable cut");
  const TransportEvent event = next_event();
  const bool resumed_first = std::holds_alternative<LinkResumed>(event.what);
  const TransportEvent other = next_event();
  EXPECT_TRUE(std::holds_alternative<LinkResumed>(resumed_first ? event.what : other.what));
  EXPECT_EQ(message(resumed_first ? other : event), protocol::Message(protocol::Joined{7}));
  loop_.reset();
  EXPECT_EQ(command, (std::vector<std::string>{"/bin/agent", "--resume", "/there"}));
}

// Each answer is no sign of life, or such a node would never be lost.
TEST_F(LoopTest, LosesANodeThatAnswersEachSearchAndHangsUp) {
  run({.sends = resumable_hello(), .breaks = "cut"}, {10s, 300ms, 1},
      links({.sends = first_frame(protocol::Resumed{0}), .breaks = "hung up"}));
  next_event();  // The hello.
  EXPECT_EQ(std::get<LinkCut>(next_event().what).reason, "cut");
  EXPECT_EQ(lost(next_event()), (LinkLost{"cut; no way back within 300 ms" + mend, 970ms}))
      << "its agent may have heard from us since";
  loop_.reset();
}

TEST_F(LoopTest, TellsThatALinkIsResumedOnceItHasLasted) {
  ConnectionContext context{.options = {10s, 10s, 1}, .closing = {}, .events = {}};
  NodeConnection connection(0,
                            {"node", link({.sends = resumable_hello(), .breaks = "cut"}),
                             links({.sends = first_frame(protocol::Resumed{0})})},
                            context);
  const auto last = [&context] {
    const std::vector<TransportEvent> events = context.events.take();
    return events.empty() ? TransportEvent{} : events.back();
  };
  connection.start();
  connection.advance();
  EXPECT_EQ(std::get<LinkCut>(last().what).reason, "cut");
  connection.reconnect();
  connection.advance();
  connection.check_silence(NodeConnection::Clock::now());
  EXPECT_TRUE(connection.has_link());
  EXPECT_TRUE(context.events.take().empty()) << "it may break at once";
  connection.check_silence(NodeConnection::Clock::now() + Reconnector::longest_pause);
  EXPECT_TRUE(std::holds_alternative<LinkResumed>(last().what));
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
    first_event({sends});
    EXPECT_EQ(reason(next_event()),
              "the agent sent what is no frame of ours: rendezvous: wanted /PROGRAM --resume /SOCKET")
        << testing::PrintToString(command);
  }
}

// For example a host of a resize, behind a jump host whose session has a thread.
TEST_F(LoopTest, ReleasesTheWayBackToANodeThatIsLost) {
  auto session = std::make_shared<int>();
  const std::weak_ptr<int> watched = session;
  run({.breaks = "no route"}, {10s, 10s, 1},
      [held = std::move(session)](const std::vector<std::string>&) { return std::unique_ptr<Link>(); });
  EXPECT_TRUE(std::holds_alternative<LinkLost>(next_event().what));
  EXPECT_TRUE(watched.expired());
}

TEST_F(LoopTest, GivesUpAnAgentThatIsNotMetAndSaysHowLongItMayRun) {
  const Script cut{.sends = resumable_hello(), .breaks = "cut"};
  const Script killed{.sends = resumable_hello(), .ends = true, .status_text = "it was killed"};
  const std::string all_ended = "it was killed; all its processes are ended";
  const Script without{first_frame(protocol::Failed{protocol::StartFailure{}, "no such file"})};
  const Script over{.ends = true, .status_text = "job over", .for_good = true};
  const struct {
    Script first;
    std::chrono::milliseconds lease;
    Script then;
    LinkLost found;
  } cases[] = {
      {cut, 10s, {first_frame(protocol::Done{})}, {"cut", 0ms}},
      {killed, 10s, without, {"the agent hung up: it was killed", 10s}},
      {{.sends = killed.sends, .ends = true, .status_text = all_ended},
       10s,
       without,
       {"the agent hung up: " + all_ended, 0ms}},
      {cut, 10min, over, {"cut", 0ms}},
      {cut, 300ms, {.breaks = "no route"}, {"cut; no way back within 300 ms: no route" + mend, 685ms}},
  };
  for (const auto& each : cases) {
    run(each.first, {10s, each.lease, 1}, links(each.then));
    EXPECT_TRUE(std::holds_alternative<protocol::Message>(next_event().what)) << each.found.reason;
    EXPECT_TRUE(std::holds_alternative<LinkCut>(next_event().what)) << each.found.reason;
    EXPECT_EQ(lost(next_event()), each.found) << each.found.reason;
  }
}

// For example a link with a process to be reaped, which takes several calls.
TEST_F(LoopTest, SeesOffALinkThatLedNowhere) {
  std::atomic<int> made = 0;
  std::atomic<int> closed = 0;
  run({.sends = resumable_hello(), .breaks = "cut"}, {10s, 300ms, 1}, [&](const std::vector<std::string>&) {
    ++made;
    return link({.breaks = "no route", .may_close = [&closed, calls = 0]() mutable {
                   if (++calls < 3) return false;
                   ++closed;
                   return true;
                 }});
  });
  for (int i = 0; i < 3; ++i) next_event();
  loop_.reset();
  EXPECT_GT(made, 0);
  EXPECT_EQ(closed, made);
}

// More than is read before events are taken; the pings sent meanwhile show that this point was reached.
TEST_F(LoopTest, DropsNothingOfWhatCameBeforeTheEnd) {
  std::string sends = hello();
  for (int i = 0; i < 40; ++i)
    sends += protocol::encode(protocol::Output{0, protocol::Stream::out, std::string(1'000'000, 'x')});
  run({.sends = std::move(sends), .ends = true}, {1s, 10s, 1});
  EXPECT_TRUE(await([&] { return written_ > 0; }));
  next_event();
  std::size_t bytes = 0;
  while (true) {
    const TransportEvent event = next_event();
    if (std::holds_alternative<LinkLost>(event.what)) break;
    bytes += std::get<protocol::Output>(message(event)).bytes.size();
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
  run({.sends = std::move(sends), .ends = true}, {1s, 10s, 1});
  EXPECT_TRUE(await([&] { return written_ > 0; }));
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
