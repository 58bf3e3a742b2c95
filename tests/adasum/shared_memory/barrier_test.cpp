// SPDX-License-Identifier: Apache-2.0
#include "adasum/shared_memory/barrier.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <fstream>
#include <memory>
#include <string>
#include <thread>

#include "adasum/communicators/fiber.h"
#include "adasum/types/descriptor.h"
#include "adasum/types/error.h"
#include "tests/adasum/failure.h"
#include "tests/adasum/sockets/links.h"

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
  EXPECT_EQ(failure<PeerLost>([&] { two.first->wait(); }), "rank 5 has left while the others wait for it");
}

TEST(Barrier, NamesARankThatGaveUp) {
  TwoAtABarrier two;
  two.second->give_up();
  EXPECT_EQ(failure<PeerLost>([&] { two.first->wait(); }), "rank 5 gave up while the others wait for it");
}

TEST(Barrier, IsNotGivenUpInAnotherProcess) {
  TwoAtABarrier two({}, ended_process());
  two.second->give_up();
  EXPECT_EQ(two.state.left.load(), 0U);
}

TEST(Barrier, NamesARankWhoseProcessHasEnded) {
  TwoAtABarrier two({}, ended_process());
  EXPECT_EQ(failure<PeerLost>([&] { two.first->wait(); }), "rank 5 has left while the others wait for it");
}

TEST(Barrier, NoticesFromAFiberThatAProcessHasEnded) {
  TwoAtABarrier two({}, ended_process());
  Fiber fiber;
  fiber.start([&] { two.first->wait(); });
  EXPECT_EQ(failure<PeerLost>([&] {
              while (!fiber.ended()) fiber.resume();
            }),
            "rank 5 has left while the others wait for it");
}

TEST(Barrier, IsGivenUpAtTheDeadline) {
  TwoAtABarrier two({.deadline = 1ms});
  EXPECT_EQ(failure<PeerLost>([&] { two.first->wait(); }),
            "rank 4 waited in vain for the others of its node");
}

/// A child process that waits at a barrier, as rank 4; ended with this object.
struct WaitingChild {
  explicit WaitingChild(std::chrono::milliseconds deadline)
      : memory(
            ::mmap(nullptr, sizeof(BarrierState), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0)),
        process(::fork()) {
    if (process == 0) {
      Barrier barrier(state(), ranks, 0, {.deadline = deadline});
      ::_exit(failure<PeerLost>([&] { barrier.wait(); }) == "none" ? 0 : 1);
    }
    pidfd = Descriptor(static_cast<int>(::syscall(SYS_pidfd_open, process, 0)));
  }
  ~WaitingChild() {
    ::kill(process, SIGKILL);
    ::waitpid(process, nullptr, 0);
    ::munmap(memory, sizeof(BarrierState));
  }
  WaitingChild(const WaitingChild&) = delete;
  WaitingChild& operator=(const WaitingChild&) = delete;

  BarrierState& state() const { return *static_cast<BarrierState*>(memory); }

  /// Whether it has come to the barrier, and sleeps there.
  bool sleeps() const {
    const auto end = std::chrono::steady_clock::now() + 10s;
    while (std::chrono::steady_clock::now() < end) {
      std::ifstream file("/proc/" + std::to_string(process) + "/stat");
      std::string text;
      std::getline(file, text);
      const std::size_t name_end = text.rfind(") ");
      if (state().arrived.load() == 1 && name_end != std::string::npos && text[name_end + 2] == 'S')
        return true;
    }
    return false;
  }
  bool ends_within(std::chrono::milliseconds time) const {
    pollfd ended{pidfd.get(), POLLIN, 0};
    return ::poll(&ended, 1, static_cast<int>(time.count())) != 0;
  }
  /// Of a child that has ended.
  int status() const {
    siginfo_t info{};
    ::waitid(P_PID, static_cast<id_t>(process), &info, WEXITED | WNOHANG | WNOWAIT);
    return info.si_status;
  }

  std::array<BarrierRank, 2> ranks{{{::getpid(), 4}, {::getpid(), 5}}};
  void* memory;
  pid_t process;
  Descriptor pidfd;
};

TEST(Barrier, DoesNotCountTheTimeInWhichItsProcessIsStopped) {
  const WaitingChild child(1s);
  ASSERT_NE(child.memory, MAP_FAILED);
  ASSERT_TRUE(child.sleeps());
  ::kill(child.process, SIGSTOP);
  EXPECT_FALSE(child.ends_within(1500ms)) << "it is stopped until its deadline has passed";
  ::kill(child.process, SIGCONT);
  EXPECT_FALSE(child.ends_within(300ms)) << "it gave up at its next look";
  EXPECT_EQ(failure<PeerLost>([&] { Barrier(child.state(), child.ranks, 1, {.deadline = 10s}).wait(); }),
            "none");
  ASSERT_TRUE(child.ends_within(10s));
  EXPECT_EQ(child.status(), 0);
}

TEST(Barrier, IsNotCompletedLaterByThoseThatGaveUp) {
  TwoAtABarrier two({.deadline = 1ms});
  EXPECT_EQ(failure<PeerLost>([&] { two.first->wait(); }),
            "rank 4 waited in vain for the others of its node");
  EXPECT_EQ(failure<PeerLost>([&] { two.second->wait(); }), "rank 4 has left while the others wait for it");
}

TEST(Barrier, IsGivenUpWhenItsDescriptorSaysSo) {
  auto [read_end, write_end] = sockets::pipe_ends();
  TwoAtABarrier two({.abort_descriptor = read_end.get()});
  write_end.reset();
  EXPECT_EQ(failure<PeerLost>([&] { two.first->wait(); }), "rank 4: the wait was ended from outside");
}

TEST(Barrier, IsGivenUpThenThoughNoWaitIsLong) {
  auto [read_end, write_end] = sockets::pipe_ends();
  TwoAtABarrier two({.deadline = 10s, .abort_descriptor = read_end.get()});
  const auto end = std::chrono::steady_clock::now() + 10s;
  const auto wait_on = [end](Barrier& barrier) {
    return failure<PeerLost>([&] {
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
