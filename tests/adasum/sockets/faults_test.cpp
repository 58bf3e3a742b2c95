// SPDX-License-Identifier: Apache-2.0
// Worlds whose connections fail at random: every rank gets right results, or an error in time. For a second;
// for N of them with ADARUN_TEST_FAULT_SECONDS=N, from another seed with ADARUN_TEST_SEED.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <future>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include "adasum/plan.h"
#include "adasum/sockets/rendezvous.h"
#include "adasum/sockets/socket_communicator.h"
#include "adasum/sockets/tcp.h"
#include "adasum/types/error.h"
#include "tests/adasum/sockets/links.h"

namespace adasum::sockets {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

int number_in(const char* variable, int otherwise) {
  const char* text = std::getenv(variable);  // NOLINT(concurrency-mt-unsafe)
  return text != nullptr ? std::atoi(text) : otherwise;
}

Clock::time_point end_of_test() {
  return Clock::now() + std::chrono::seconds(number_in("ADARUN_TEST_FAULT_SECONDS", 1));
}

std::mt19937 random_numbers() {
  return std::mt19937(static_cast<unsigned>(number_in("ADARUN_TEST_SEED", 1)));
}

Fault any_fault(std::mt19937& random) {
  constexpr std::array all = {Fault::none,      Fault::pieces, Fault::delay, Fault::stall,
                              Fault::half_open, Fault::reset,  Fault::change};
  return all[random() % all.size()];
}

/// One socket for a rank, and one for a link.
std::pair<Descriptor, Descriptor> end_of_link() {
  std::array<int, 2> ends{};
  EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()), 0);
  return {Descriptor(ends[0]), Descriptor(ends[1])};
}

void take_steps(Communicator& communicator, std::mt19937 random) {
  const int ranks = communicator.size();
  for (int step = 0; step < 20; ++step) {
    const std::size_t size = 1 + random() % 20'000;
    std::vector<double> numbers(size, communicator.rank());
    communicator.sum(numbers);
    ASSERT_EQ(numbers, std::vector<double>(size, ranks * (ranks - 1) / 2.0));
    std::vector<float> gradient(size, static_cast<float>(step));
    const std::vector<std::int64_t> counts = {static_cast<std::int64_t>(size)};
    ASSERT_EQ(allreduce<float>(gradient, counts, communicator, {.worlds = Worlds::any}), std::nullopt);
    ASSERT_EQ(gradient, std::vector<float>(size, static_cast<float>(step))) << "of equal vectors";
  }
}

/// Waits for ranks in threads of their own. A rank that does not end is a hang.
void await(std::vector<std::future<void>>& ranks) {
  for (auto& rank : ranks) {
    if (rank.wait_for(60s) == std::future_status::ready) continue;
    std::fputs("a rank hangs\n", stderr);
    std::abort();
  }
}

struct World {
  World(int size, std::mt19937& random) {
    for (int rank = 0; rank < size; ++rank) connections.emplace_back(static_cast<std::size_t>(size));
    for (std::size_t a = 0; a < connections.size(); ++a) {
      for (std::size_t b = 0; b < a; ++b) connect(a, b, random);
    }
  }

  void connect(std::size_t a, std::size_t b, std::mt19937& random) {
    auto [of_a, link_a] = end_of_link();
    auto [of_b, link_b] = end_of_link();
    const Fault fault = any_fault(random);
    loses = loses || loses_bytes(fault);
    links.push_back(std::make_unique<FaultyLink>(std::move(link_a), std::move(link_b), fault,
                                                 random() % 1'000'000, random()));
    std::tie(connections[a][b], connections[b][a]) = linked(std::move(of_a), std::move(of_b));
  }

  std::vector<std::vector<Link>> connections;  // of each rank
  bool loses = false;
  std::vector<std::unique_ptr<FaultyLink>> links;
};

TEST(Faults, EndEveryWaitOfAWorldInTime) {
  std::mt19937 random = random_numbers();
  for (const auto end = end_of_test(); Clock::now() < end && !testing::Test::HasFailure();) {
    World world(2 + static_cast<int>(random() % 4), random);
    const MeshOptions options{.deadline = world.loses ? 200ms : 30'000ms};
    const std::mt19937 steps(random());
    std::vector<std::future<void>> ranks;
    for (std::size_t rank = 0; rank < world.connections.size(); ++rank) {
      ranks.push_back(std::async(std::launch::async, [&, rank] {
        try {
          const auto communicator =
              connected_communicator(static_cast<int>(rank), std::move(world.connections[rank]), options,
                                     "node " + std::to_string(rank));
          take_steps(*communicator, steps);
        } catch (const Error& error) {
          EXPECT_TRUE(world.loses) << error.what();
        }
      }));
    }
    await(ranks);
  }
}

/// Carries connections to a listener, each with a fault of its own, later ones sometimes first.
class FaultyListener {
 public:
  FaultyListener(std::uint16_t behind, unsigned seed)
      : listener_(listen_on({"127.0.0.1", 0})), behind_(behind), random_(seed) {
    thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
  }

  std::uint16_t port() const { return port_of(listener_); }

 private:
  void run(const std::stop_token& stop) {
    std::vector<Descriptor> waiting;
    while (!stop.stop_requested()) {
      pollfd connects{listener_.get(), POLLIN, 0};
      ::poll(&connects, 1, 1);
      while (auto connection = accept_from(listener_)) waiting.push_back(std::move(*connection));
      std::ranges::shuffle(waiting, random_);
      if (waiting.empty() || random_() % 4 != 0) continue;
      carry(std::move(waiting.back()));
      waiting.pop_back();
    }
  }

  void carry(Descriptor connection) {
    Descriptor other;
    try {
      other = connect_to({"127.0.0.1", behind_}, Deadline(20ms));
    } catch (const Error&) {  // Rank 0 has all that it waited for.
      return;
    }
    for (const Descriptor* each : {&connection, &other})
      ::fcntl(each->get(), F_SETFL, ::fcntl(each->get(), F_GETFL) & ~O_NONBLOCK);
    const Fault fault = random_() % 2 == 0 ? Fault::none : any_fault(random_);
    links_.push_back(std::make_unique<FaultyLink>(std::move(connection), std::move(other), fault,
                                                  random_() % 200, random_()));
  }

  Descriptor listener_;
  std::uint16_t behind_;
  std::mt19937 random_;
  std::vector<std::unique_ptr<FaultyLink>> links_;
  std::jthread thread_;
};

TEST(Faults, EndARendezvousInTime) {
  std::mt19937 random = random_numbers();
  for (const auto end = end_of_test(); Clock::now() < end;) {
    Descriptor listener = listen_on({"127.0.0.1", 0});
    const FaultyListener in_front(port_of(listener), random());
    const Secret secret = random_secret();
    const int size = 2 + static_cast<int>(random() % 4);
    std::vector<std::future<void>> ranks;
    for (int rank = 0; rank < size; ++rank) {
      Participant mine{.rank = rank,
                       .size = size,
                       .root = {"127.0.0.1", in_front.port()},
                       .secret = secret,
                       .listener = rank == 0 ? std::move(listener) : Descriptor()};
      ranks.push_back(std::async(
          std::launch::async,
          [](Participant participant) {
            const int own = participant.rank;
            try {
              const RankConnections meeting = meet(std::move(participant), Deadline(300ms));
              for (std::size_t peer = 0; peer < meeting.connections.size(); ++peer)
                EXPECT_EQ(static_cast<bool>(meeting.connections[peer]), static_cast<int>(peer) != own);
            } catch (const Error&) {  // A connection was lost, or came too late.
            }
          },
          std::move(mine)));
    }
    await(ranks);
  }
}

}  // namespace
}  // namespace adasum::sockets
