// SPDX-License-Identifier: Apache-2.0
#include "trainer/data/prefetcher.h"

#include <gtest/gtest.h>

#include <sys/resource.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <future>

#include "trainer/base/error.h"

namespace adarun::trainer {
namespace {

/// A read that does not return; `begun` is set when it begins.
class HangingRead {
 public:
  void operator()(int /*step*/, Batch& /*batch*/) {
    begun.set_value();
    never_.get_future().wait_for(std::chrono::minutes(1));
  }

  std::promise<void> begun;

 private:
  std::promise<void> never_;
};

/// Calls `use` while the only batch is being read.
template <typename Use>
void while_it_hangs(const Use& use) {
  HangingRead read;
  const std::future<void> begun = read.begun.get_future();
  Prefetcher prefetcher(
      1, [&](int step, Batch& batch) { read(step, batch); }, std::chrono::seconds(1));
  prefetcher.start(1, 1);
  begun.wait_for(std::chrono::minutes(1));
  use(prefetcher);
}

class PrefetcherThatHangs : public testing::Test {
 protected:
  void SetUp() override { testing::GTEST_FLAG(death_test_style) = "threadsafe"; }

  testing::ExitedWithCode failed{static_cast<int>(Exit::failed)};
};

TEST_F(PrefetcherThatHangs, EndsTheProcessThatWaitsForItsBatch) {
  EXPECT_EXIT(while_it_hangs([](Prefetcher& prefetcher) { prefetcher.take(); }), failed,
              "^adarun-trainer: batch 1: not read within 1 s\n$");
}

TEST_F(PrefetcherThatHangs, EndsTheProcessThatDropsItsBatch) {
  EXPECT_EXIT(while_it_hangs([](Prefetcher& prefetcher) { prefetcher.drop(); }), failed,
              "^adarun-trainer: a batch that is not needed any more: not read within 1 s\n$");
}

TEST_F(PrefetcherThatHangs, EndsTheProcessThatDestroysIt) {
  EXPECT_EXIT(while_it_hangs([](Prefetcher&) {}), failed,
              "^adarun-trainer: a batch that is not needed any more: not read within 1 s\n$");
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // they reserve more address space
/// Ends the process, with what is thrown for want of address space for the stacks of so many threads.
[[noreturn]] void start_too_many_threads() {
  const rlimit limit{std::uint64_t{4} << 30U, std::uint64_t{4} << 30U};
  ::setrlimit(RLIMIT_AS, &limit);
  try {
    const Prefetcher prefetcher(100'000, [](int /*step*/, Batch& /*batch*/) {});
  } catch (const Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
  }
  std::_Exit(7);
}

TEST(Prefetcher, SaysThatThreadsCannotBeStarted) {
  testing::GTEST_FLAG(death_test_style) = "threadsafe";
  EXPECT_EXIT(start_too_many_threads(), testing::ExitedWithCode(7),
              "--workers 100000: [0-9]+ threads have begun, and no other can: ");
}
#endif

}  // namespace
}  // namespace adarun::trainer
