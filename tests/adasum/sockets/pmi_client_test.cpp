// SPDX-License-Identifier: Apache-2.0
#include "adasum/sockets/pmi_client.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <functional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "adasum/types/error.h"
#include "tests/adasum/failure.h"
#include "tests/adasum/sockets/links.h"

namespace adasum::sockets {
namespace {

using namespace std::chrono_literals;

using Dialogue = std::vector<std::pair<std::string, std::string>>;  // request, answer

const Dialogue beginning = {{"cmd=init pmi_version=1 pmi_subversion=1\n",
                             "cmd=response_to_init pmi_version=1 pmi_subversion=1 rc=0\n"},
                            {"cmd=get_my_kvsname\n", "cmd=my_kvsname kvsname=adarun-1\n"}};

/// Runs `body` against a server that expects these requests, in this order, and hangs up after the
/// last answer. Returns the error, or "none".
std::string run(Dialogue dialogue, const std::function<void(int descriptor)>& body) {
  auto [client, other] = socket_pair();
  std::thread thread([&dialogue, server = std::move(other)] {
    for (const auto& [request, answer] : dialogue) {
      std::string got(request.size(), ' ');
      EXPECT_EQ(::recv(server.get(), got.data(), got.size(), MSG_WAITALL), static_cast<ssize_t>(got.size()));
      EXPECT_EQ(got, request);
      EXPECT_EQ(::send(server.get(), answer.data(), answer.size(), MSG_NOSIGNAL),
                static_cast<ssize_t>(answer.size()));
    }
  });
  const int descriptor = client.get();
  std::string error = failure([&] { body(descriptor); });
  client.reset();  // The server may wait for a request that does not come.
  thread.join();
  return error;
}

Dialogue after_beginning(const Dialogue& more) {
  Dialogue all = beginning;
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

TEST(PmiClient, PutsAndGetsValues) {
  const Dialogue dialogue = after_beginning(
      {{"cmd=put kvsname=adarun-1 key=root value=node1:29500,abc\n", "cmd=put_result rc=0 msg=success\n"},
       {"cmd=barrier_in\n", "cmd=barrier_out rc=0\n"},
       {"cmd=get kvsname=adarun-1 key=root\n", "cmd=get_result rc=0 msg=success value=node1:29500,abc\n"},
       {"cmd=finalize\n", "cmd=finalize_ack rc=0\n"}});
  std::string value;
  EXPECT_EQ(run(dialogue,
                [&](int descriptor) {
                  PmiClient pmi(descriptor, 10s);
                  pmi.put("root", "node1:29500,abc");
                  pmi.barrier(10s);
                  value = pmi.get("root");
                  pmi.finalize();
                }),
            "none");
  EXPECT_EQ(value, "node1:29500,abc");
}

TEST(PmiClient, HearsWhichRanksContinueWheneverItIsTold) {
  const Dialogue dialogue = after_beginning(
      {{"cmd=adarun_stay_on\n", "cmd=adarun_stay_on_result rc=0\n"},
       {"cmd=barrier_in\n",
        "cmd=adarun_members generation=1 ranks=0-2,4 root=0 at=n1:29\ncmd=barrier_out rc=0\n"},
       {"cmd=finalize\n",
        "cmd=adarun_members generation=2 ranks=4 root=4 at=n2:30\n"
        "cmd=adarun_members generation=3 ranks=2 root=2 at=[fd00::1]:31\n"
        "cmd=finalize_ack rc=0\n"}});
  EXPECT_EQ(run(dialogue,
                [&](int descriptor) {
                  PmiClient pmi(descriptor, 10s);
                  pmi.stay_on();
                  pmi.barrier(10s);
                  const PmiClient::Members first = pmi.members_after(0, 10s);
                  EXPECT_EQ(first.generation, 1U);
                  EXPECT_EQ(first.ranks, (std::vector<int>{0, 1, 2, 4}));
                  EXPECT_EQ(first.root, 0);
                  EXPECT_EQ(first.at, (Endpoint{"n1", 29}));
                  pmi.finalize();
                  const PmiClient::Members last = pmi.members_after(1, 10s);
                  EXPECT_EQ(last.ranks, std::vector<int>{2});
                  EXPECT_EQ(last.root, 2);
                  EXPECT_EQ(last.at, (Endpoint{"fd00::1", 31}));
                  pmi.members_after(3, 10s);
                }),
            "PMI: what started this rank is gone");
}

TEST(PmiClient, RefusesAListOfRanksThatIsNone) {
  for (const char* const ranks : {"3-1", "1,1", "x", "0-", "-1", "0-99999999", "1;2"}) {
    EXPECT_EQ(run(after_beginning({{"cmd=finalize\n",
                                    std::string("cmd=adarun_members generation=1 ranks=") + ranks + "\n"}}),
                  [](int descriptor) { PmiClient(descriptor, 10s).finalize(); }),
              "PMI: a list of ranks that is none")
        << ranks;
  }
}

TEST(PmiClient, RefusesARootThatIsNone) {
  for (const char* const root :
       {"root=0 at=n1:29", "root=1-2 at=n1:29", "root= at=n1:29", "root=1 at=n1", "root=1"}) {
    EXPECT_NE(
        run(after_beginning({{"cmd=finalize\n", std::string("cmd=adarun_members generation=1 ranks=1-2 ") +
                                                    root + "\ncmd=finalize_ack rc=0\n"}}),
            [](int descriptor) { PmiClient(descriptor, 10s).finalize(); }),
        "none")
        << root;
  }
}

TEST(PmiClient, SaysWhereItListens) {
  EXPECT_EQ(run(after_beginning(
                    {{"cmd=adarun_listen_at endpoint=[fd00::1]:31\n", "cmd=adarun_listen_at_result rc=0\n"}}),
                [](int descriptor) {
                  PmiClient(descriptor, 10s).listen_at({"fd00::1", 31});
                }),
            "none");
}

TEST(PmiClient, SaysWhatIsRefused) {
  EXPECT_EQ(run(after_beginning(
                    {{"cmd=get kvsname=adarun-1 key=root\n", "cmd=get_result rc=-1 msg=no_such_key\n"}}),
                [](int descriptor) { PmiClient(descriptor, 10s).get("root"); }),
            "PMI: get_result: refused");
}

TEST(PmiClient, RefusesAnotherAnswer) {
  EXPECT_EQ(run({{"cmd=init pmi_version=1 pmi_subversion=1\n", "hello\n"}},
                [](int descriptor) { PmiClient(descriptor, 10s); }),
            "PMI: an answer without cmd");
}

TEST(PmiClient, EndsWhenTheOtherSideHangsUp) {
  EXPECT_EQ(run(beginning, [](int descriptor) { PmiClient(descriptor, 10s).barrier(10s); }),
            "PMI: what started this rank is gone");
}

TEST(PmiClient, GivesUpAtTheDeadline) {
  const auto [client, server] = socket_pair();
  EXPECT_THROW(PmiClient(client.get(), 20ms), Error);
}

TEST(PmiClient, GivesUpAtTheDeadlineIfNobodySaysWhoIsLeft) {
  EXPECT_EQ(run(after_beginning(
                    {{"cmd=adarun_stay_on\n", "cmd=adarun_stay_on_result rc=0\n"}, {"cmd=finalize\n", ""}}),
                [](int descriptor) {
                  PmiClient pmi(descriptor, 10s);
                  pmi.stay_on();
                  EXPECT_THROW(pmi.members_after(0, 20ms), Error);
                  pmi.finalize();
                }),
            "PMI: what started this rank is gone");
}

TEST(PmiClient, WaitsForTheOtherRanksAsLongAsItIsTold) {
  std::string why;
  const auto enter = [&why](int descriptor) {
    PmiClient pmi(descriptor, 10s);
    why = failure([&] { pmi.barrier(20ms); });
    pmi.finalize();
  };
  EXPECT_EQ(run(after_beginning({{"cmd=barrier_in\n", ""}, {"cmd=finalize\n", ""}}), enter),
            "PMI: what started this rank is gone");
  EXPECT_EQ(why, "PMI: not all ranks of the job came within 20 ms");
}

TEST(PmiClient, BoundsALine) {
  EXPECT_EQ(run({{"cmd=init pmi_version=1 pmi_subversion=1\n", std::string(100'000, 'x')}},
                [](int descriptor) { PmiClient(descriptor, 10s); }),
            "PMI: a line without an end");
}

}  // namespace
}  // namespace adasum::sockets
