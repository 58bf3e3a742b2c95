// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <torch/torch.h>

namespace adarun::trainer {
namespace {

// libtorch's generator would begin with another number in each process, so that a test could fail now and
// then.
class SeedOfEachTest : public testing::EmptyTestEventListener {
 public:
  void OnTestStart(const testing::TestInfo& /*test*/) override { torch::manual_seed(1); }
};

// GoogleTest owns the listener.
[[maybe_unused]] const bool is_seeded = [] {
  testing::UnitTest::GetInstance()->listeners().Append(new SeedOfEachTest);
  return true;
}();

}  // namespace
}  // namespace adarun::trainer
