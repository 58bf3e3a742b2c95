// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <semaphore>
#include <set>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "adasum/sockets/elastic_world.h"
#include "adasum/types/error.h"
#include "tests/adasum/sockets/pmi_server.h"

namespace adasum {
namespace {

using namespace std::chrono_literals;

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
          sum = sum_of_members(world);
          world.settle();
        } while (world.generation() < last_);
        EXPECT_EQ(sum, 15);
        return world.finish();
      } catch (const Error&) {
        world.change();
      }
    }
  }

  static double sum_of_members(ElasticWorld& world) {
    const auto place = static_cast<std::size_t>(world.communicator().rank());
    std::array<double, 1> sum = {static_cast<double>(world.members()[place])};
    world.communicator().sum(std::span<double>(sum));
    return sum[0];
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
  sockets::PmiServer server_{all_ranks};
  std::array<std::atomic<int>, all_ranks> ends_{};  // of each rank, so far
  std::counting_semaphore<> done_{0};
  std::atomic<std::uint64_t> last_ = std::numeric_limits<std::uint64_t>::max();  // generation
  std::set<int> members_ = {0, 1, 2, 3, 4, 5};
  std::set<int> told_ = members_;
  std::uint64_t generation_ = 1;
};

TEST(ChangingMembers, MeetInTheEnd) {
  for (const unsigned seed : {1U, 2U, 3U}) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    ChangingJob(seed).run();
  }
}

}  // namespace
}  // namespace adasum
