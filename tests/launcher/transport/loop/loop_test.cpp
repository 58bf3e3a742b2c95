// SPDX-License-Identifier: Apache-2.0
#include "launcher/transport/loop/loop.h"

#include <gtest/gtest.h>
#include <poll.h>

#include <algorithm>
#include <atomic>
#include <thread>
#include <utility>

#include "launcher/base/error.h"

namespace adarun::launcher {
namespace {

using namespace std::chrono_literals;

// The behaviour of a far side: the bytes it sends, then silence or an end.
struct Script {
  std::string sends;
  bool opens = true;
  bool ends = false;
  std::string breaks;  // Thrown by read() after all bytes were sent.
  std::string status_text;
  const std::atomic<bool>* may_open = nullptr;  // If given: does not open before it is true.
  const std::atomic<bool>* may_close = nullptr;
  bool for_good = false;
};

const std::string mend = " (is the node up, and the network to it? a longer --lease bridges longer cuts)";

class FakeLink : public Link {
 public:
  FakeLink(Script script, std::atomic<std::size_t>* written)
      : script_(std::move(script)), written_(written) {}

  int fd() const override { return -1; }
  short wanted() const override { return POLLIN; }
  bool open() override { return script_.opens && is_true(script_.may_open); }
  std::size_t read(std::span<char> buffer) override {
    const std::size_t size = std::min(buffer.size(), script_.sends.size() - sent_);
    std::copy_n(script_.sends.begin() + static_cast<std::ptrdiff_t>(sent_), size, buffer.begin());
    sent_ += size;
    if (size == 0 && !script_.breaks.empty()) throw Error(script_.breaks);
    return size;
  }
  std::size_t write(std::string_view bytes) override {
    *written_ += bytes.size();
    return bytes.size();
  }
  bool ended() const override { return script_.ends; }
  bool ended_for_good() override { return script_.for_good; }
  std::string status_text() override { return script_.status_text; }
  bool close() override { return is_true(script_.may_close); }

 private:
  static bool is_true(const std::atomic<bool>* flag) { return flag == nullptr || *flag; }

  Script script_;
  std::size_t sent_ = 0;
  std::atomic<std::size_t>* written_;
};

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

class LoopTest : public testing::Test {
 protected:
  // Runs one node's script and gives its first event; every wait here has a deadline.
  TransportEvent first_event(const Script& script, const LinkOptions& options) {
    std::vector<std::unique_ptr<Link>> links;
    links.push_back(std::make_unique<FakeLink>(script, &written_));
    loop_.emplace(std::move(links), options);
    return next_event();
  }
  // Progress events of connecting are left out.
  TransportEvent next_event() {
    while (true) {
      TransportEvent event = next_of_all();
      if (const auto* step = std::get_if<LinkStep>(&event.what)) {
        steps_.push_back(step->name);
      } else if (!std::holds_alternative<LinkRemark>(event.what)) {
        return event;
      }
    }
  }
  TransportEvent next_of_all() {
    if (events_.empty()) {
      pollfd polled{loop_->ready_fd(), POLLIN, 0};
      if (poll(&polled, 1, 10'000) != 1) throw Error("no event came");
      events_ = loop_->take();
    }
    TransportEvent event = events_.front();
    events_.erase(events_.begin());
    return event;
  }
  std::string reason(const TransportEvent& event) { return std::get<LinkLost>(event.what).reason; }

  static std::string hello() {
    return std::string(protocol::magic) + protocol::encode(protocol::Hello{"1", "h", 2, 3});
  }

  std::atomic<std::size_t> written_ = 0;
  std::vector<TransportEvent> events_;
  std::vector<std::string> steps_;
  std::optional<Loop> loop_;
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

TEST_F(LoopTest, ReadsWhatCameWhileItWasStoppedBeforeItCountsTheSilence) {
  const protocol::Failed words{protocol::StartFailure::could_not_start, "nothing heard"};
  std::vector<std::unique_ptr<Link>> links;
  links.push_back(std::make_unique<StoppedLink>(Script{hello(), true, false, "", ""}, &written_,
                                                protocol::encode(words), 300ms));
  loop_.emplace(std::move(links), LinkOptions{1s, 200ms, 1});
  next_event();  // the hello
  EXPECT_EQ(std::get<protocol::Message>(next_event().what), protocol::Message(words));
}

// What brings the bytes of a node may have had no processor either.
TEST_F(LoopTest, DoesNotCountATimeInWhichItDidNotRunAsSilence) {
  const protocol::Joined words{7};
  std::vector<std::unique_ptr<Link>> links;
  links.push_back(std::make_unique<StoppedLink>(Script{hello(), true, false, "", ""}, &written_,
                                                protocol::encode(words), 1'500ms, 3));
  loop_.emplace(std::move(links), LinkOptions{1s, 1s, 1});
  next_event();  // the hello
  EXPECT_EQ(std::get<protocol::Message>(next_event().what), protocol::Message(words));
}

TEST_F(LoopTest, BearsWithABusyNodeForThreeLeases) {
  const std::atomic<bool> always = true;
  const std::atomic<bool> never = false;
  std::vector<std::unique_ptr<Link>> links;
  links.push_back(
      std::make_unique<BusyLink>(Script{hello(), true, false, "", ""}, &written_, &always, &never, ""));
  loop_.emplace(std::move(links), LinkOptions{1s, 200ms, 1});
  next_event();  // the hello
  EXPECT_EQ(
      std::get<LinkCut>(next_event().what),
      (LinkCut{"busy: its agent has not answered for 100 ms, though the node acknowledges what it is sent; "
               "waiting for 500 ms more",
               LinkCut::Kind::busy}));
  EXPECT_EQ(
      std::get<LinkLost>(next_event().what),
      (LinkLost{"its agent has not answered for 600 ms, though the node acknowledges what it is sent (is the "
                "node overloaded, or short of memory?)",
                880ms}))
      << "it may take in later what was sent before";
}

TEST_F(LoopTest, TellsThatABusyNodeAnswersAgain) {
  const std::atomic<bool> always = true;
  std::atomic<bool> wakes = false;
  const protocol::Joined words{7};
  std::vector<std::unique_ptr<Link>> links;
  links.push_back(std::make_unique<BusyLink>(Script{hello(), true, false, "", ""}, &written_, &always, &wakes,
                                             protocol::encode(words)));
  loop_.emplace(std::move(links), LinkOptions{10s, 10s, 1});
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
  std::vector<std::unique_ptr<Link>> links;
  links.push_back(std::make_unique<BusyLink>(Script{hello(), true, false, "", ""}, &written_,
                                             &is_acknowledged, &never, ""));
  loop_.emplace(std::move(links), LinkOptions{1s, 1s, 1});
  next_event();  // the hello
  EXPECT_EQ(std::get<LinkCut>(next_event().what).kind, LinkCut::Kind::busy);
  is_acknowledged = false;
  EXPECT_EQ(std::get<LinkLost>(next_event().what), (LinkLost{"no sign of life for 1 s" + mend, 1'600ms}))
      << "it may take in later what it acknowledged";
}

TEST_F(LoopTest, LosesNoNodeForASilenceThatIsExcused) {
  std::atomic<bool> may_open = false;
  std::vector<std::unique_ptr<Link>> links;
  links.push_back(std::make_unique<FakeLink>(Script{hello(), true, false, "", "", &may_open}, &written_));
  loop_.emplace(std::move(links), LinkOptions{10s, 50ms, 1});
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

// Byte by byte it takes longer than an interval of pings.
TEST_F(LoopTest, PingsTheOthersWhileOneTakesALongMessage) {
  constexpr std::size_t message_bytes = 2U << 20U;
  std::atomic<bool> may_open = false;
  std::atomic<std::size_t> others = 0;
  std::atomic<std::size_t> others_meanwhile = 0;
  const Script script{hello(), true, false, "", "", &may_open};
  std::vector<std::unique_ptr<Link>> links;
  links.push_back(std::make_unique<SlowToTake>(script, &written_, message_bytes, &others, &others_meanwhile));
  links.push_back(std::make_unique<FakeLink>(script, &others));
  loop_.emplace(std::move(links), LinkOptions{60s, 5ms, 2});
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
  std::vector<std::unique_ptr<Link>> links;
  links.push_back(
      std::make_unique<FakeLink>(Script{"", true, false, "cable cut", "", nullptr, &never}, &written_));
  links.push_back(
      std::make_unique<FakeLink>(Script{hello(), true, false, "", "", &first_is_lost}, &written_));
  loop_.emplace(std::move(links), LinkOptions{10s, 10s, 2});
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

TEST_F(LoopTest, GoesOnOverAnotherLinkWhereTheFirstOneBreaks) {
  // Half a message before the cut, the other half after it.
  const std::string message = protocol::encode(protocol::Joined{7});
  std::vector<std::unique_ptr<Link>> links;
  links.push_back(std::make_unique<FakeLink>(
      Script{resumable_hello() + message.substr(0, 6), true, false, "cable cut", ""}, &written_));
  std::vector<std::string> command;
  const auto relink = [&](std::uint32_t, const std::vector<std::string>& words) -> std::unique_ptr<Link> {
    command = words;
    const std::string sends =
        "motd\n" + std::string(protocol::magic) + protocol::encode(protocol::Resumed{0}) + message.substr(6);
    return std::make_unique<FakeLink>(Script{sends, true, false, "", ""}, &written_);
  };
  loop_.emplace(std::move(links), LinkOptions{10s, 10s, 1}, relink);
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

TEST_F(LoopTest, GivesUpAnAgentThatIsGone) {
  std::vector<std::unique_ptr<Link>> links;
  links.push_back(std::make_unique<FakeLink>(Script{resumable_hello(), true, false, "cut", ""}, &written_));
  const auto relink = [&](std::uint32_t, const std::vector<std::string>&) -> std::unique_ptr<Link> {
    const std::string sends = std::string(protocol::magic) + protocol::encode(protocol::Done{});
    return std::make_unique<FakeLink>(Script{sends, true, false, "", ""}, &written_);
  };
  loop_.emplace(std::move(links), LinkOptions{10s, 10s, 1}, relink);
  next_event();
  next_event();
  EXPECT_EQ(std::get<LinkLost>(next_event().what), (LinkLost{"cut", 0ms}));
}

TEST_F(LoopTest, GivesUpAnAgentThatIsNotMetAndSaysHowLongItMayRun) {
  const auto relink = [&](std::uint32_t, const std::vector<std::string>&) -> std::unique_ptr<Link> {
    const std::string sends = std::string(protocol::magic) +
                              protocol::encode(protocol::Failed{protocol::StartFailure{}, "no such file"});
    return std::make_unique<FakeLink>(Script{sends, true, false, "", ""}, &written_);
  };
  for (const bool ended : {false, true}) {
    const std::string text = ended ? "it was killed; all that it ran is ended" : "it was killed";
    const Script script{resumable_hello(), true, true, "", text};
    std::vector<std::unique_ptr<Link>> links;
    links.push_back(std::make_unique<FakeLink>(script, &written_));
    loop_.emplace(std::move(links), LinkOptions{10s, 10s, 1}, relink);
    events_.clear();
    next_event();
    next_event();
    EXPECT_EQ(std::get<LinkLost>(next_event().what),
              (LinkLost{"the agent hung up: " + text, ended ? 0s : 10s}));
  }
}

TEST_F(LoopTest, LooksForNoOtherLinkWhereOneHasEndedForGood) {
  std::vector<std::unique_ptr<Link>> links;
  links.push_back(std::make_unique<FakeLink>(Script{resumable_hello(), true, false, "cut", ""}, &written_));
  const auto relink = [&](std::uint32_t, const std::vector<std::string>&) -> std::unique_ptr<Link> {
    return std::make_unique<FakeLink>(Script{"", true, true, "", "job over", nullptr, nullptr, true},
                                      &written_);
  };
  loop_.emplace(std::move(links), LinkOptions{10s, 10min, 1}, relink);
  next_event();
  next_event();
  EXPECT_EQ(reason(next_event()), "cut");
}

// For example a link with a process to be reaped.
TEST_F(LoopTest, SeesOffALinkThatLedNowhere) {
  std::atomic<int> made = 0;
  std::atomic<int> closed = 0;
  std::vector<std::unique_ptr<Link>> links;
  links.push_back(std::make_unique<FakeLink>(Script{resumable_hello(), true, false, "cut", ""}, &written_));
  const auto relink = [&](std::uint32_t, const std::vector<std::string>&) -> std::unique_ptr<Link> {
    ++made;
    return std::make_unique<SlowToClose>(Script{"", true, false, "no route", ""}, &written_, &closed);
  };
  loop_.emplace(std::move(links), LinkOptions{10s, 300ms, 1}, relink);
  next_event();
  next_event();
  next_event();
  loop_.reset();
  EXPECT_GT(made, 0);
  EXPECT_EQ(closed, made);
}

TEST_F(LoopTest, LooksForALinkUntilTheLeaseIsOver) {
  std::vector<std::unique_ptr<Link>> links;
  links.push_back(std::make_unique<FakeLink>(Script{resumable_hello(), true, false, "cut", ""}, &written_));
  const auto relink = [&](std::uint32_t, const std::vector<std::string>&) -> std::unique_ptr<Link> {
    return std::make_unique<FakeLink>(Script{"", true, false, "no route", ""}, &written_);
  };
  loop_.emplace(std::move(links), LinkOptions{10s, 300ms, 1}, relink);
  next_event();
  next_event();
  EXPECT_EQ(reason(next_event()), "cut; no way back within 300 ms: no route" + mend);
}

// More than is read before events are taken; the pings sent meanwhile show that this point was reached.
TEST_F(LoopTest, DropsNothingOfWhatCameBeforeTheEnd) {
  std::string sends = hello();
  for (int i = 0; i < 40; ++i)
    sends += protocol::encode(protocol::Output{0, protocol::Stream::out, std::string(1'000'000, 'x')});
  std::vector<std::unique_ptr<Link>> links;
  links.push_back(std::make_unique<FakeLink>(Script{sends, true, true, "", ""}, &written_));
  loop_.emplace(std::move(links), LinkOptions{1s, 10s, 1});
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
  std::vector<std::unique_ptr<Link>> links;
  links.push_back(std::make_unique<FakeLink>(Script{sends, true, true, "", ""}, &written_));
  loop_.emplace(std::move(links), LinkOptions{1s, 10s, 1});
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
