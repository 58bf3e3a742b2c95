// SPDX-License-Identifier: Apache-2.0
#include "adasum/sockets/elastic_world.h"

#include <gtest/gtest.h>
#include <poll.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <latch>
#include <limits>
#include <optional>
#include <random>
#include <semaphore>
#include <set>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "adasum/sockets/tcp.h"
#include "adasum/types/error.h"
#include "tests/adasum/failure.h"
#include "tests/adasum/sockets/pmi_server.h"

namespace adasum {
namespace {

using namespace std::chrono_literals;
using sockets::PmiServer;

/// Runs `body` for each of these ranks, in a thread of its own, except for a rank that is told while it
/// connects that the others continue without it.
void run_elastic_ranks(const std::vector<int>& ranks, PmiServer& server,
                       const std::function<void(int rank, ElasticWorld&)>& body) {
  std::vector<std::thread> threads;
  threads.reserve(ranks.size());
  for (const int rank : ranks) {
    threads.emplace_back([&, rank] {
      std::optional<ElasticWorld> world;
      try {
        world.emplace(server.environment_of(rank), sockets::MeshOptions(), 10s);
      } catch (const Error& error) {
        EXPECT_EQ(error.what(), "rank " + std::to_string(rank) + " is not among the ranks that continue");
        return;
      }
      body(rank, *world);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

/// The sum of the ranks' numbers at the start of the job.
double sum_of_ranks(ElasticWorld& world) {
  const auto index = static_cast<std::size_t>(world.communicator().rank());
  std::array<double, 1> sum = {static_cast<double>(world.members()[index])};
  world.communicator().sum(std::span<double>(sum));
  return sum[0];
}

/// Adds until the members are those of a generation. Ranks that have been told may be anywhere in this.
void come_to(std::uint64_t generation, ElasticWorld& world) {
  const auto end = std::chrono::steady_clock::now() + 20s;
  while (world.generation() < generation) {
    EXPECT_THROW(
        {
          while (std::chrono::steady_clock::now() < end) sum_of_ranks(world);
        },
        Error)
        << "it has not heard of the members";
    world.change();
  }
}

TEST(ElasticWorld, ContinuesWithoutARankThatEnds) {
  PmiServer server(4);
  run_elastic_ranks({0, 1, 2, 3}, server, [&](int rank, ElasticWorld& world) {
    if (rank == 1) return;
    if (rank == 0) server.tell(2, "0,2-3");
    come_to(2, world);
    EXPECT_EQ(world.members(), (std::vector<int>{0, 2, 3}));
    EXPECT_EQ(world.communicator().size(), 3);
    EXPECT_EQ(sum_of_ranks(world), 5);
    world.finish();
  });
}

TEST(ElasticWorld, ContinuesUntilOneIsLeft) {
  PmiServer server(5);
  run_elastic_ranks({0, 1, 2, 3, 4}, server, [&](int rank, ElasticWorld& world) {
    for (int size = world.communicator().size(); size > 1; size = world.communicator().size()) {
      if (rank == size - 1) return;
      if (rank == 0) server.tell(world.generation() + 1, "0-" + std::to_string(size - 2));
      try {
        come_to(world.generation() + 1, world);
      } catch (const Error&) {  // It is not among those of a later generation.
        EXPECT_GT(rank, 0);
        return;
      }
    }
    EXPECT_EQ(world.generation(), 5U);
    EXPECT_EQ(sum_of_ranks(world), 0);
  });
}

TEST(ElasticWorld, CallsRanksAsTheJobDoes) {
  PmiServer server(4);
  run_elastic_ranks({0, 1, 2, 3}, server, [&](int rank, ElasticWorld& world) {
    if (rank == 1) return;
    if (rank == 0) server.tell(2, "0,2-3");
    come_to(2, world);
    EXPECT_EQ(world.communicator().world_rank(1), 2);
    if (rank == 3) return;
    const std::string why = failure([&] {
      while (true) sum_of_ranks(world);
    });
    const bool names_a_rank_that_is_there = why.find("rank 1") == std::string::npos;
    EXPECT_TRUE(names_a_rank_that_is_there && why.find("rank ") != std::string::npos) << why;
    world.finish();
  });
}

/// Rank 0, which has met the others, stays on, and has closed its connections.
struct FirstRank {
  explicit FirstRank(PmiServer& server)
      : read(server.environment_of(0)),
        pmi(pmi_descriptor(read), 10s),
        meeting(sockets::meet(participant_of(read, pmi, 10s), Deadline(10s))) {
    pmi.listen_at(meeting.endpoint);
    pmi.stay_on();
    pmi.members_after(0, 10s);
    meeting.connections.clear();
  }

  /// Whether another one has connected anew.
  bool await_connection() const {
    pollfd connects{meeting.listener.get(), POLLIN, 0};
    return ::poll(&connects, 1, 10'000) == 1;
  }

  ReadVariable read;
  sockets::PmiClient pmi;
  sockets::RankConnections meeting;
};

/// Rank 0, which stays on, and ends when another one connects to it anew.
void end_while_others_meet(PmiServer& server) {
  const FirstRank rank(server);
  server.tell(2, "0-2");
  EXPECT_TRUE(rank.await_connection()) << "no rank has begun to meet the others";
  server.tell(3, "1-2", 1);
}

TEST(ElasticWorld, ContinuesWhenAnotherRankEndsWhileTheOthersMeet) {
  PmiServer server(3);
  std::thread first([&] { end_while_others_meet(server); });
  run_elastic_ranks({1, 2}, server, [&](int, ElasticWorld& world) {
    come_to(3, world);
    EXPECT_EQ(world.members(), (std::vector<int>{1, 2}));
    EXPECT_EQ(sum_of_ranks(world), 3);
  });
  first.join();
}

/// A rank of four that ends and is started again, while the others add. In the end it continues alone.
void end_and_come_again(int again, PmiServer& server) {
  const std::size_t root = again == 0 ? 1 : 0;
  const auto place = static_cast<std::size_t>(again);
  std::latch added(4);
  const auto comes = [&] {
    ElasticWorld world(server.environment_of(again), {}, 10s);
    EXPECT_EQ(world.generation(), 3U);
    EXPECT_EQ(sum_of_ranks(world), 6);
    EXPECT_EQ(world.oldest(), static_cast<int>(root));
    world.settle();
    added.arrive_and_wait();
    server.tell(4, std::to_string(again), place);
    come_to(4, world);
    EXPECT_EQ(sum_of_ranks(world), again);
  };
  run_elastic_ranks({0, 1, 2, 3}, server, [&](int rank, ElasticWorld& world) {
    if (rank == again) {
      server.start_again(place);
      server.tell(2, again == 0 ? "1-3" : "0,2-3", root);
      return;
    }
    come_to(2, world);
    std::optional<std::thread> new_one;
    if (rank == 3) {
      new_one.emplace(comes);
      EXPECT_TRUE(server.await_staying(place, 10s));
      server.tell(3, "0-3", root);
    }
    come_to(3, world);
    EXPECT_TRUE(world.is_whole());
    EXPECT_EQ(sum_of_ranks(world), 6);
    added.arrive_and_wait();
    if (new_one) new_one->join();
  });
}

TEST(ElasticWorld, ContinuesWithARankThatIsStartedAgain) {
  PmiServer server(4);
  end_and_come_again(1, server);
}

TEST(ElasticWorld, ContinuesWithTheFirstRankStartedAgain) {
  PmiServer server(4);
  end_and_come_again(0, server);
}

TEST(ElasticWorld, OfOneRankGrowsWhenAnotherComes) {
  PmiServer server(2);
  std::latch added(2);
  const auto comes = [&] {
    ElasticWorld world(server.environment_of(1), {}, 10s);
    EXPECT_EQ(sum_of_ranks(world), 1);
    added.arrive_and_wait();
  };
  run_elastic_ranks({0, 1}, server, [&](int rank, ElasticWorld& world) {
    if (rank == 1) {
      server.start_again(1);
      return server.tell(2, "0");
    }
    come_to(2, world);
    std::thread new_one(comes);
    EXPECT_TRUE(server.await_staying(1, 10s));
    server.tell(3, "0-1");
    come_to(3, world);
    EXPECT_EQ(sum_of_ranks(world), 1);
    added.arrive_and_wait();
    new_one.join();
  });
}

TEST(ElasticWorld, ConnectsTheSameRanksAnewWhereNoneHasEnded) {
  PmiServer server(3);
  run_elastic_ranks({0, 1, 2}, server, [&](int rank, ElasticWorld& world) {
    if (rank == 1) {
      world.change();  // As if its connections were lost.
    } else if (rank == 0) {
      EXPECT_TRUE(server.await_lost_peer(1, 10s));
      server.tell(2, "0-2");
    }
    come_to(2, world);
    EXPECT_EQ(sum_of_ranks(world), 3);
  });
}

/// Rank 0, which stays on, and does not answer the other one, which is told of the same members again and
/// again while it waits, as if others broke off, and in the end to continue alone.
void break_off_often(PmiServer& server) {
  const FirstRank rank(server);
  std::vector<std::optional<Descriptor>> unanswered;
  for (std::uint64_t generation = 2; generation < 15; ++generation) {
    server.tell(generation, "0-1");
    EXPECT_TRUE(rank.await_connection()) << "generation " << generation;
    unanswered.push_back(sockets::accept_from(rank.meeting.listener));
  }
  server.tell(15, "1", 1);
}

TEST(ElasticWorld, WaitsOnHoweverOftenOthersBreakOff) {
  PmiServer server(2);
  std::thread first([&] { break_off_often(server); });
  run_elastic_ranks({1}, server, [&](int, ElasticWorld& world) {
    come_to(15, world);
    EXPECT_EQ(sum_of_ranks(world), 1);
  });
  first.join();
}

TEST(ElasticWorld, RefusesARankThatIsNotAmongThoseThatContinue) {
  PmiServer server(2);
  run_elastic_ranks({0, 1}, server, [&](int rank, ElasticWorld& world) {
    if (rank == 0) {
      server.tell(2, "0");
      come_to(2, world);
      EXPECT_EQ(sum_of_ranks(world), 0);
      return;
    }
    EXPECT_EQ(failure([&] { world.change(); }), "rank 1 is not among the ranks that continue");
  });
}

TEST(ElasticWorld, SaysHowToStartAProgramThatNothingStarted) {
  const auto nothing = [](const std::string&) { return std::optional<std::string>(); };
  EXPECT_EQ(failure([&] { ElasticWorld world(nothing); }),
            "this program is no rank of a job that continues without some: start it by adarun launch "
            "--min-ranks N");
}

TEST(ElasticWorld, EndsIfWhatStartedItIsGone) {
  PmiServer server(2);
  run_elastic_ranks({0, 1}, server, [&](int rank, ElasticWorld& world) {
    if (rank == 0) server.hang_up();
    EXPECT_THROW(come_to(2, world), Error);
  });
}

/// A job whose ranks end and are started again in quick succession: further ones while the rest meet.
class ChangingJob {
 public:
  explicit ChangingJob(unsigned seed) : random_(seed) {}

  void run() {
    std::vector<std::thread> threads;
    threads.reserve(all_ranks);
    for (int rank = 0; rank < all_ranks; ++rank) threads.emplace_back([this, rank] { live(rank); });
    for (int rank = 0; rank < all_ranks; ++rank) await(rank);
    while (generation_ < changes && !testing::Test::HasFailure()) {
      for (int count = below(3); count >= 0; --count) change_one(roots + below(all_ranks - roots));
      if (members_ != told_) tell();
    }
    for (int rank = roots; rank < all_ranks; ++rank)
      if (!members_.contains(rank)) change_one(rank);
    last_ = generation_ + 1;
    tell();
    for (int rank = 0; rank < all_ranks; ++rank)
      while (!done_.try_acquire_for(a_moment)) tell_anew_if_they_do_not_meet();
    for (std::thread& thread : threads) thread.join();
  }

 private:
  static constexpr int all_ranks = 6;
  static constexpr int roots = 2;  // Ranks 0 and 1 do not end: one of them is what the others connect to.
  static constexpr std::uint64_t changes = 40;
  static constexpr std::chrono::seconds timeout{20};
  static constexpr std::chrono::milliseconds a_moment{5};

  /// A rank, from its start to its end, and again as often as it is ended.
  void live(int rank) {
    const auto index = static_cast<std::size_t>(rank);
    for (int lives = 0;; ++lives) {
      try {
        add_until_the_last(rank);
        break;
      } catch (const Error& error) {
        if (ends_[index] > lives) {
          server_.start_again(index);
          continue;
        }
        ADD_FAILURE() << "rank " << rank << ": " << error.what();
        break;
      }
    }
    done_.release();
  }

  void add_until_the_last(int rank) {
    ElasticWorld world(server_.environment_of(rank), {.deadline = timeout}, timeout);
    while (true) {
      try {
        double sum = 0;
        do {
          sum = sum_of_ranks(world);
          world.settle();
        } while (world.generation() < last_);
        EXPECT_EQ(sum, 15);
        return world.finish();
      } catch (const Error&) {
        world.change();
      }
    }
  }

  /// Ends a member, or takes in one that was ended, when it has come again.
  void change_one(int rank) {
    const auto index = static_cast<std::size_t>(rank);
    if (members_.erase(rank) == 0) {
      await(rank);
      members_.insert(rank);
    } else {
      ++ends_[index];
      server_.end(index);
    }
  }

  void await(int rank) {
    const auto end = std::chrono::steady_clock::now() + timeout;
    while (!server_.await_staying(static_cast<std::size_t>(rank), a_moment)) {
      tell_anew_if_they_do_not_meet();
      ASSERT_LT(std::chrono::steady_clock::now(), end) << "rank " << rank << " does not come";
    }
  }

  /// As adarun's agents do.
  void tell_anew_if_they_do_not_meet() {
    if (server_.await_lost_peer(generation_, 0ms)) tell();
  }

  /// At once, or when a rank is about to meet the others anew.
  void tell() {
    if (below(2) == 0) server_.await_lost_peer(generation_ - 1, a_moment);
    std::string text;
    for (const int rank : members_) text += (text.empty() ? "" : ",") + std::to_string(rank);
    server_.tell(++generation_, text, static_cast<std::size_t>(below(roots)));
    told_ = members_;
  }

  int below(int limit) { return std::uniform_int_distribution<int>(0, limit - 1)(random_); }

  std::mt19937 random_;
  PmiServer server_{all_ranks};
  std::array<std::atomic<int>, all_ranks> ends_{};  // of each rank, so far
  std::counting_semaphore<> done_{0};
  std::atomic<std::uint64_t> last_ = std::numeric_limits<std::uint64_t>::max();  // generation
  std::set<int> members_ = {0, 1, 2, 3, 4, 5};
  std::set<int> told_ = members_;
  std::uint64_t generation_ = 1;
};

TEST(ElasticWorld, MeetsInTheEndHoweverOftenItsMembersChange) {
  for (const unsigned seed : {1U, 2U, 3U}) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    ChangingJob(seed).run();
  }
}

}  // namespace
}  // namespace adasum
