// SPDX-License-Identifier: Apache-2.0
#include "adasum/shared_memory/barrier.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <functional>
#include <memory>
#include <string>
#include <thread>

#include "adasum/communicators/fiber.h"
#include "adasum/types/descriptor.h"
#include "adasum/types/error.h"

namespace adasum {
namespace {

using namespace std::chrono_literals;

/// Ranks 4 and 5 of a world, at a barrier in this process.
struct TwoAtABarrier {
  explicit TwoAtABarrier(const WaitLimits& limits = {}, std::int64_t second_process = ::getpid())
      : ranks{{{::getpid(), 4}, {second_process, 5}}},
        first(std::make_unique<Barrier>(state, ranks, 0, limits)),
        second(std::make_unique<Barrier>(state, ranks, 1, limits)) {}

  BarrierState state{};
  std::array<BarrierRank, 2> ranks;
  std::unique_ptr<Barrier> first;
  std::unique_ptr<Barrier> second;
};

std::string failure(const std::function<void()>& body) {
  try {
    body();
  } catch (const PeerLost& lost) {
    return lost.what();
  }
  return "none";
}

std::int64_t ended_process() {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(0);
  ::waitpid(child, nullptr, 0);
  return child;
}

TEST(Barrier, ReturnsWhenAllHaveCome) {
  TwoAtABarrier two;
  std::thread other([&] {
    for (int round = 0; round < 1000; ++round) two.second->wait();
  });
  for (int round = 0; round < 1000; ++round) two.first->wait();
  other.join();
  EXPECT_EQ(two.state.round.load(), 1000U);
}

TEST(Barrier, NamesARankThatHasLeft) {
  TwoAtABarrier two;
  two.second.reset();
  EXPECT_EQ(failure([&] { two.first->wait(); }), "rank 5 has left while the others wait for it");
}

TEST(Barrier, NamesARankWhoseProcessHasEnded) {
  TwoAtABarrier two({}, ended_process());
  EXPECT_EQ(failure([&] { two.first->wait(); }), "rank 5 has left while the others wait for it");
}

TEST(Barrier, NoticesFromAFiberThatAProcessHasEnded) {
  TwoAtABarrier two({}, ended_process());
  Fiber fiber;
  fiber.start([&] { two.first->wait(); });
  EXPECT_EQ(failure([&] {
              while (!fiber.ended()) fiber.resume();
            }),
            "rank 5 has left while the others wait for it");
}

TEST(Barrier, IsGivenUpAtTheDeadline) {
  TwoAtABarrier two({.deadline = 1ms});
  EXPECT_EQ(failure([&] { two.first->wait(); }), "rank 4 waited in vain for the others of its node");
}

TEST(Barrier, DoesNotCountTheTimeInWhichItsProcessIsStopped) {
  void* const memory =
      ::mmap(nullptr, sizeof(BarrierState), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  auto& state = *static_cast<BarrierState*>(memory);
  const std::array<BarrierRank, 2> ranks{{{::getpid(), 4}, {::getpid(), 5}}};
  const pid_t child = ::fork();
  if (child == 0) {
    Barrier first(state, ranks, 0, {.deadline = 1s});
    ::_exit(failure([&] { first.wait(); }) == "none" ? 0 : 1);
  }
  while (state.arrived.load() == 0) std::this_thread::yield();
  ::kill(child, SIGSTOP);
  std::this_thread::sleep_for(1500ms);
  ::kill(child, SIGCONT);
  std::this_thread::sleep_for(150ms);  // More than between two looks.
  EXPECT_EQ(failure([&] { Barrier(state, ranks, 1, {}).wait(); }), "none");
  int status = -1;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  ::munmap(memory, sizeof(BarrierState));
}

TEST(Barrier, IsNotCompletedLaterByThoseThatGaveUp) {
  TwoAtABarrier two({.deadline = 1ms});
  EXPECT_EQ(failure([&] { two.first->wait(); }), "rank 4 waited in vain for the others of its node");
  EXPECT_EQ(failure([&] { two.second->wait(); }), "rank 4 has left while the others wait for it");
}

TEST(Barrier, IsGivenUpWhenItsDescriptorSaysSo) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe(ends.data()), 0);
  const Descriptor read_end(ends[0]);
  Descriptor write_end(ends[1]);
  TwoAtABarrier two({.abort_descriptor = read_end.get()});
  write_end.reset();
  EXPECT_EQ(failure([&] { two.first->wait(); }), "rank 4: the wait was ended from outside");
}

TEST(Barrier, IsGivenUpThenThoughNoWaitIsLong) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe(ends.data()), 0);
  const Descriptor read_end(ends[0]);
  Descriptor write_end(ends[1]);
  TwoAtABarrier two({.deadline = 10s, .abort_descriptor = read_end.get()});
  const auto end = std::chrono::steady_clock::now() + 10s;
  const auto wait_on = [end](Barrier& barrier) {
    return failure([&] {
      while (std::chrono::steady_clock::now() < end) barrier.wait();
    });
  };
  std::string other_failure;
  std::thread other([&] { other_failure = wait_on(*two.second); });
  two.first->wait();
  write_end.reset();
  EXPECT_EQ(wait_on(*two.first), "rank 4: the wait was ended from outside");
  other.join();
  EXPECT_EQ(other_failure, "rank 5: the wait was ended from outside");
}

TEST(Barrier, IsCompleteThoughARankEndsAtOnceAfterIt) {
  TwoAtABarrier two({}, ended_process());
  Fiber fiber;
  fiber.start([&] { two.first->wait(); });
  fiber.resume();
  two.second->wait();
  two.second.reset();
  fiber.resume();
  EXPECT_TRUE(fiber.ended());
}

}  // namespace
}  // namespace adasum
