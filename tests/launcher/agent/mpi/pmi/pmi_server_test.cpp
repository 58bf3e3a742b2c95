// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <string>

#include "launcher/agent/mpi/pmi/pmi_server.h"
#include "launcher/protocol/frame.h"
#include "tests/launcher/agent/agent_process.h"

namespace adarun::launcher::agent::pmi {
namespace {

protocol::Start start_of(std::uint32_t node) {
  protocol::Start start;
  start.job_id = "job";
  start.node = node;
  start.nodes = {{"n0", {0, 1}}, {"n1", {2}}};
  start.world_size = 3;
  return start;
}

void turn(PmiServer& server) {
  Poll poll;
  poll.until(Clock::now() + timeout);
  server.watch(poll);
  poll.wait();
}

/// A rank's end of its socket.
class Peer {
 public:
  Peer(PmiServer& server, std::uint32_t rank) : server_(server), start_(server.admit(rank, 0)) {}

  const std::vector<std::string>& environment() const { return start_.environment; }
  int fd() const { return start_.socket.get(); }
  void close() { start_.socket.reset(); }

  /// Whether all of it could be written now.
  bool write(std::string_view bytes) {
    return ::send(fd(), bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL) ==
           static_cast<ssize_t>(bytes.size());
  }

  /// The bytes received so far.
  std::string read() {
    std::string result;
    std::array<char, 4096> bytes{};
    for (ssize_t size = 0; (size = ::recv(fd(), bytes.data(), bytes.size(), MSG_DONTWAIT)) > 0;)
      result.append(bytes.data(), static_cast<std::size_t>(size));
    return result;
  }

  /// The answer to a request.
  std::string ask(const std::string& line) {
    EXPECT_TRUE(write(line + "\n"));
    turn(server_);
    return read();
  }

  std::string get(const std::string& key) { return ask("cmd=get kvsname=adarun-job key=" + key); }

 private:
  PmiServer& server_;
  PmiServer::RankStart start_;
};

template <typename T>
std::vector<T> only(const std::vector<protocol::Message>& messages) {
  std::vector<T> result;
  for (const protocol::Message& message : messages)
    if (const T* found = std::get_if<T>(&message)) result.push_back(*found);
  return result;
}

/// The server of node 0 of that job, and its two ranks.
class PmiServerTest : public testing::Test {
 protected:
  PmiServer server_{start_of(0)};
  Peer zero_{server_, 0};
  Peer one_{server_, 1};
};

constexpr const char* init = "cmd=init pmi_version=1 pmi_subversion=1";

TEST(PmiServer, TellsEachRankTheNumberOfItsProgram) {
  protocol::Start start = start_of(0);
  start.application_of_rank = {2, 1, 0};
  PmiServer server(start);
  Peer zero(server, 0);
  Peer one(server, 1);
  EXPECT_EQ(zero.ask("cmd=get_appnum"), "cmd=appnum appnum=2\n");
  EXPECT_EQ(one.ask("cmd=get_appnum"), "cmd=appnum appnum=1\n");
}

TEST_F(PmiServerTest, AnswersWhatMpichAsksWhenItStarts) {
  EXPECT_EQ(one_.environment(),
            (std::vector<std::string>{"PMI_FD=" + std::to_string(one_.fd()), "PMI_RANK=1", "PMI_SIZE=3",
                                      "MPI_LOCALRANKID=1", "MPI_LOCALNRANKS=2"}));
  EXPECT_EQ(one_.ask(init), "cmd=response_to_init pmi_version=1 pmi_subversion=1 rc=0\n");
  EXPECT_EQ(server_.collect(), std::vector<protocol::Message>{protocol::Joined{1}});
  EXPECT_EQ(one_.ask("cmd=get_maxes"), "cmd=maxes kvsname_max=256 keylen_max=64 vallen_max=1024\n");
  EXPECT_EQ(one_.ask("cmd=get_appnum"), "cmd=appnum appnum=0\n");
  EXPECT_EQ(one_.ask("cmd=get_universe_size"), "cmd=universe_size size=3\n");
  EXPECT_EQ(one_.ask("cmd=get_my_kvsname"), "cmd=my_kvsname kvsname=adarun-job\n");
  EXPECT_EQ(one_.get("PMI_process_mapping"),
            "cmd=get_result rc=0 msg=success value=(vector,(0,1,2),(1,1,1))\n");
  EXPECT_EQ(one_.get("x"), "cmd=get_result rc=-1 msg=key_not_found value=unknown\n");
  EXPECT_TRUE(server_.has_connected(1));
  EXPECT_FALSE(server_.has_connected(0));
  EXPECT_FALSE(server_.has_finalized(1));
  EXPECT_EQ(one_.ask("cmd=finalize"), "cmd=finalize_ack rc=0\n");
  EXPECT_TRUE(server_.has_finalized(1));
}

TEST_F(PmiServerTest, KnowsNothingOfAProcessOutsideTheMap) {
  const PmiServer::RankStart rank_start = server_.admit(2, 0);
  EXPECT_TRUE(rank_start.environment.empty());
  EXPECT_FALSE(rank_start.socket);
  EXPECT_FALSE(server_.has_connected(2));
}

TEST_F(PmiServerTest, RefusesAnotherVersion) {
  EXPECT_EQ(zero_.ask("cmd=init pmi_version=2 pmi_subversion=0"),
            "cmd=response_to_init pmi_version=1 pmi_subversion=1 rc=-1\n");
  EXPECT_FALSE(server_.has_connected(0));
}

TEST(PmiServer, GivesWhatWasPutOnEveryNodeAfterABarrier) {
  PmiServer here(start_of(0));
  PmiServer there(start_of(1));
  Peer zero(here, 0);
  Peer one(here, 1);
  Peer two(there, 2);
  EXPECT_EQ(zero.ask("cmd=put kvsname=adarun-job key=a value=0"), "cmd=put_result rc=0 msg=success\n");
  EXPECT_EQ(two.ask("cmd=put kvsname=adarun-job key=c value=2"), "cmd=put_result rc=0 msg=success\n");
  EXPECT_EQ(zero.ask("cmd=barrier_in"), "");
  EXPECT_TRUE(here.collect().empty());
  EXPECT_EQ(one.ask("cmd=barrier_in"), "");
  EXPECT_EQ(two.ask("cmd=barrier_in"), "");
  const std::vector<protocol::Message> first = here.collect();
  EXPECT_EQ(first, (std::vector<protocol::Message>{protocol::Fence{{}, "a=0\n", protocol::Service::pmi}}));
  EXPECT_EQ(there.collect(),
            (std::vector<protocol::Message>{protocol::Fence{{}, "c=2\n", protocol::Service::pmi}}));
  for (PmiServer* server : {&here, &there})
    server->take(protocol::FenceDone{{}, "a=0\nc=2\n", protocol::Service::pmi});
  for (Peer* rank : {&zero, &one, &two}) EXPECT_EQ(rank->read(), "cmd=barrier_out rc=0\n");
  EXPECT_EQ(one.get("c"), "cmd=get_result rc=0 msg=success value=2\n");
  EXPECT_EQ(two.get("a"), "cmd=get_result rc=0 msg=success value=0\n");
}

TEST(PmiServer, KnowsOnASpareWhatRanksHavePublishedBefore) {
  protocol::Start start = start_of(1);
  start.published = "a=0\nc=2\n";
  PmiServer server(start);
  Peer two(server, 2);
  two.ask(init);
  EXPECT_EQ(two.get("a"), "cmd=get_result rc=0 msg=success value=0\n");
}

TEST_F(PmiServerTest, TellsRanksThatStayOnWhichOnesAreLeft) {
  for (Peer* rank : {&zero_, &one_}) rank->ask(init);
  EXPECT_EQ(zero_.ask("cmd=adarun_stay_on"), "cmd=adarun_stay_on_result rc=0\n");
  EXPECT_EQ(only<protocol::StaysOn>(server_.collect()), std::vector<protocol::StaysOn>{{0}});
  EXPECT_EQ(zero_.ask("cmd=adarun_listen_at endpoint=[fd00::1]:31"), "cmd=adarun_listen_at_result rc=0\n");
  zero_.ask("cmd=adarun_listen_at endpoint=elsewhere:1");
  EXPECT_EQ(only<protocol::ListensAt>(server_.collect()),
            (std::vector<protocol::ListensAt>{{0, "[fd00::1]:31"}}));
  server_.take(protocol::Members{3, {0, 1, 2, 4, 6, 7}, 2, "n2:4"});
  EXPECT_EQ(zero_.read(), "cmd=adarun_members generation=3 ranks=0-2,4,6-7 root=2 at=n2:4\n");
  EXPECT_EQ(one_.ask("cmd=get_appnum"), "cmd=appnum appnum=0\n");
  EXPECT_EQ(zero_.ask("cmd=adarun_lost_peer generation=2"), "");
  EXPECT_EQ(zero_.ask("cmd=adarun_lost_peer generation=3"), "");
  EXPECT_EQ(zero_.ask("cmd=adarun_lost_peer generation=3"), "");
  EXPECT_EQ(one_.ask("cmd=adarun_lost_peer generation=3"), "");
  EXPECT_EQ(only<protocol::LostPeer>(server_.collect()), (std::vector<protocol::LostPeer>{{0, 3}}));
  for (Peer* rank : {&zero_, &one_}) rank->ask("cmd=finalize");
  zero_.ask("cmd=finalize");
  EXPECT_EQ(only<protocol::Finalized>(server_.collect()), std::vector<protocol::Finalized>{{0}});
  server_.take(protocol::Members{4, {0}, 0, "n0:1"});
  EXPECT_EQ(zero_.ask("cmd=get_appnum"), "cmd=appnum appnum=0\n");
}

TEST_F(PmiServerTest, KeepsTheLastMembersAloneForARankThatDoesNotRead) {
  zero_.ask(init);
  zero_.ask("cmd=adarun_stay_on");
  constexpr std::uint64_t last = 100'000;
  for (std::uint64_t generation = 2; generation <= last; ++generation)
    server_.take(protocol::Members{generation, {0, 1}, 1, "n1:2"});
  const std::string end =
      "cmd=adarun_members generation=" + std::to_string(last) + " ranks=0-1 root=1 at=n1:2\n";
  std::string heard;
  for (heard += zero_.read(); !heard.ends_with(end); heard += zero_.read()) turn(server_);
  EXPECT_TRUE(heard.starts_with("cmd=adarun_members generation=2 ranks=0-1 root=1 at=n1:2\n"));
  EXPECT_LT(std::ranges::count(heard, '\n'), 50'000) << "else the socket took them all";
}

TEST_F(PmiServerTest, HearsWhatARankWroteBeforeItsEnd) {
  EXPECT_TRUE(one_.write(std::string(init) + "\ncmd=abort exitcode=7\n"));
  one_.close();
  server_.hear_out(1);
  const std::vector<protocol::Message> messages = server_.collect();
  EXPECT_TRUE(server_.has_connected(1));
  ASSERT_EQ(only<protocol::Abort>(messages).size(), 1U);
  EXPECT_EQ(only<protocol::Abort>(messages)[0].rank, 1U);
  EXPECT_EQ(only<protocol::Abort>(messages)[0].status, 7);
  Poll poll;
  server_.watch(poll);  // Its socket is closed: no event is awaited.
  poll.until(Clock::now());
  poll.wait();
}

TEST(PmiServer, LetsRanksPublishNoMoreThanALauncherTakesFromANode) {
  protocol::Start start = start_of(0);
  start.nodes = {{"n0", {0}}};
  start.world_size = 1;
  PmiServer server(start);
  Peer rank(server, 0);
  const std::string value(KeyValues::max_value_bytes, 'v');
  std::size_t count = 0;
  std::string answer;
  do answer = rank.ask("cmd=put kvsname=adarun-job key=" + std::to_string(++count) + " value=" + value);
  while (answer == "cmd=put_result rc=0 msg=success\n");
  EXPECT_EQ(answer, "cmd=put_result rc=-1 msg=too_much_published_on_this_node\n");
  EXPECT_GT(count, 15'000U);
  rank.ask("cmd=barrier_in");
  const auto fences = only<protocol::Fence>(server.collect());
  ASSERT_EQ(fences.size(), 1U);
  protocol::FrameReader launcher(protocol::Opening::magic);
  launcher.feed(std::string(protocol::magic) + protocol::encode(fences[0]));
  EXPECT_EQ(launcher.next(), protocol::Message(fences[0]));
}

TEST(PmiServer, TakesAnAbortAndEachBarrierOnce) {
  protocol::Start start = start_of(1);
  PmiServer server(start);
  Peer two(server, 2);
  EXPECT_EQ(two.ask("cmd=barrier_in"), "");
  EXPECT_EQ(two.ask("cmd=barrier_in"), "cmd=barrier_out rc=-1 msg=already_in_the_barrier\n");
  EXPECT_EQ(only<protocol::Fence>(server.collect()).size(), 1U);
  server.take(protocol::FenceDone{{}, "", protocol::Service::pmix});
  EXPECT_EQ(two.read(), "") << "of another service";
  server.take(protocol::FenceDone{{}, "", protocol::Service::pmi});
  EXPECT_EQ(two.read(), "cmd=barrier_out rc=0\n");
  EXPECT_EQ(two.ask("cmd=barrier_in"), "");
  EXPECT_EQ(only<protocol::Fence>(server.collect()).size(), 1U);
  for (const char* status : {"7", "8"}) two.ask("cmd=abort exitcode=" + std::string(status));
  const auto aborts = only<protocol::Abort>(server.collect());
  ASSERT_EQ(aborts.size(), 1U);
  EXPECT_EQ(aborts[0].status, 7);
}

TEST_F(PmiServerTest, TellsOnceThatARankHasJoined) {
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(zero_.ask("cmd=init pmi_version=1 pmi_subversion=1"),
              "cmd=response_to_init pmi_version=1 pmi_subversion=1 rc=0\n");
  EXPECT_EQ(only<protocol::Joined>(server_.collect()).size(), 1U);
}

TEST_F(PmiServerTest, RefusesPolitelyWhatItCannotDo) {
  const std::string reason = " rc=-1 msg=not_supported_by_adarun\n";
  EXPECT_EQ(zero_.ask("cmd=something"), "cmd=something_result" + reason);
  EXPECT_EQ(zero_.ask("cmd=barrier_in group=0,1"), "cmd=barrier_out" + reason);
  EXPECT_EQ(zero_.ask("cmd=put kvsname=other key=a value=b"), "cmd=put_result rc=-1 msg=unknown_kvsname\n");
}

TEST_F(PmiServerTest, ReportsARankThatSpawnsOnceAndDoesNotAnswerIt) {
  const std::string first = "mcmd=spawn\nnprocs=2\nexecname=./worker\ntotspawns=";
  EXPECT_EQ(one_.ask(first + "2\nspawnssofar=1\nendcmd"), "");
  EXPECT_EQ(one_.ask(first + "2\nspawnssofar=2\nendcmd"), "");
  const auto calls = only<protocol::Abort>(server_.collect());
  ASSERT_EQ(calls.size(), 1U);
  EXPECT_EQ(calls[0].rank, 1U);
  EXPECT_EQ(calls[0].status, 50);
  EXPECT_EQ(calls[0].message, "2 processes of ./worker and others");
  EXPECT_EQ(calls[0].call, protocol::EndingCall::spawn);
}

TEST_F(PmiServerTest, PassesNamesToTheLauncherAndItsRepliesBack) {
  for (const std::string& name : {std::string(), std::string(257, 'x')})
    EXPECT_EQ(zero_.ask("cmd=lookup_name service=" + name),
              "cmd=lookup_result info=invalid_service rc=1 msg=invalid_service\n");
  EXPECT_EQ(zero_.ask("cmd=publish_name service=a port=tag#0$host=x"), "");
  EXPECT_EQ(one_.ask("cmd=lookup_name service=a"), "");
  EXPECT_EQ(one_.ask("cmd=unpublish_name service=b"),
            "cmd=unpublish_result info=already_waiting rc=1 msg=already_waiting\n");
  const auto asked = only<protocol::NameRequest>(server_.collect());
  ASSERT_EQ(asked.size(), 2U);
  EXPECT_EQ(asked[0].action, protocol::NameAction::publish);
  EXPECT_EQ(asked[0].names, (std::vector<protocol::PublishedName>{{"a", "tag#0$host=x", 0}}));
  EXPECT_EQ(asked[1].action, protocol::NameAction::look_up);
  EXPECT_EQ(asked[1].rank, 1U);
  EXPECT_EQ(asked[1].service, protocol::Service::pmi);
  server_.take(protocol::NameReply{
      asked[1].id, protocol::Service::pmix, protocol::NameOutcome::done, {{"a", "p=2", 0}}});
  EXPECT_EQ(one_.read(), "") << "of another service";
  server_.take(protocol::NameReply{
      asked[1].id, protocol::Service::pmi, protocol::NameOutcome::done, {{"a", "p=1", 0}}});
  EXPECT_EQ(one_.read(), "cmd=lookup_result info=ok rc=0 msg=success port=p=1\n");
  server_.take(protocol::NameReply{asked[0].id, protocol::Service::pmi, protocol::NameOutcome::taken, {}});
  EXPECT_EQ(zero_.read(), "cmd=publish_result info=key_already_present rc=1 msg=key_already_present\n");
  server_.take(protocol::NameReply{asked[0].id, protocol::Service::pmi, protocol::NameOutcome::done, {}});
  EXPECT_EQ(zero_.read(), "") << "it does not ask any more";
}

TEST_F(PmiServerTest, TakesANameWithBlanksAndRefusesSuchAPort) {
  for (const std::string port : {"hello port", "hello rc=1"})
    EXPECT_EQ(zero_.ask("cmd=publish_name service=my one port=" + port),
              "cmd=publish_result info=no_blank_may_be_in_a_port rc=1 msg=no_blank_may_be_in_a_port\n");
  EXPECT_EQ(zero_.ask("cmd=publish_name service=my one port=hello"), "");
  const auto asked = only<protocol::NameRequest>(server_.collect());
  ASSERT_EQ(asked.size(), 1U);
  EXPECT_EQ(asked[0].names, (std::vector<protocol::PublishedName>{{"my one", "hello", 0}}));
}

TEST_F(PmiServerTest, PassesNoFurtherCommandOnInAValue) {
  for (const char* value : {"a\ncmd=abort", "a rc=1"}) {
    EXPECT_EQ(zero_.ask("cmd=lookup_name service=a"), "");
    const auto asked = only<protocol::NameRequest>(server_.collect());
    ASSERT_EQ(asked.size(), 1U);
    server_.take(protocol::NameReply{
        asked[0].id, protocol::Service::pmi, protocol::NameOutcome::done, {{"a", value, 1}}});
    EXPECT_EQ(zero_.read(), "cmd=lookup_result info=service_not_found rc=1 msg=service_not_found\n");
  }
}

TEST_F(PmiServerTest, HangsUpOnARankThatSpeaksSomethingElse) {
  EXPECT_EQ(zero_.ask("GET / HTTP/1.1"), "");
  EXPECT_FALSE(zero_.write("x")) << "the socket is still open";
  EXPECT_EQ(one_.ask("cmd=get_appnum"), "cmd=appnum appnum=0\n");
}

TEST_F(PmiServerTest, IsHeldUpByNoRankThatAsksAndNeverReads) {
  const std::string request = "cmd=get kvsname=adarun-job key=PMI_process_mapping\n";
  std::size_t asked = 0;
  // Until its own requests no longer fit either: the server has stopped reading them.
  for (int refused = 0; refused < 3;) {
    if (::send(zero_.fd(), request.data(), request.size(), MSG_DONTWAIT) ==
        static_cast<ssize_t>(request.size())) {
      ++asked;
      refused = 0;
      continue;
    }
    ++refused;
    EXPECT_EQ(one_.ask("cmd=get_appnum"), "cmd=appnum appnum=0\n");
  }
  std::size_t bytes = 0;
  const std::string answer = "cmd=get_result rc=0 msg=success value=(vector,(0,1,2),(1,1,1))\n";
  while (bytes < asked * answer.size()) {
    const std::string some = zero_.read();
    bytes += some.size();
    if (some.empty()) turn(server_);
  }
  EXPECT_EQ(bytes, asked * answer.size()) << "every request has its answer once they are read";
}

TEST_F(PmiServerTest, ReadsNoFurtherThanARankReadsItsAnswers) {
  zero_.ask("cmd=put kvsname=adarun-job key=k value=" + std::string(KeyValues::max_value_bytes, 'v'));
  const std::string request = "cmd=get kvsname=adarun-job key=k\n";
  const std::size_t answer_bytes = zero_.ask("cmd=get kvsname=adarun-job key=k").size();
  std::string requests;
  for (int i = 0; i < 1000; ++i) requests += request;
  constexpr std::size_t much = 40U << 20U;
  std::size_t written = 0;
  std::size_t read = 0;
  const auto deadline = Clock::now() + timeout;
  while (read < much && Clock::now() < deadline) {
    const std::string_view next = std::string_view(requests).substr(written % requests.size());
    const ssize_t size = ::send(zero_.fd(), next.data(), next.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    if (size > 0) written += static_cast<std::size_t>(size);
    read += zero_.read().size();
    Poll poll;
    server_.watch(poll);
    poll.until(Clock::now());
    poll.wait();
  }
  ASSERT_GE(read, much);
  EXPECT_LT(written - read / answer_bytes * request.size(), 1U << 20U)
      << "what the sockets hold, and little more";
}

}  // namespace
}  // namespace adarun::launcher::agent::pmi
