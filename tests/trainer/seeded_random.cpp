// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <torch/torch.h>

namespace adarun::trainer {
namespace {

// libtorch's generator would begin with another number in each process, so that a test could fail now and
// then.
class SeededRandom : public testing::Environment {
 public:
  void SetUp() override { torch::manual_seed(1); }
};

// Owned by GoogleTest.
const testing::Environment* const seeded_random = testing::AddGlobalTestEnvironment(new SeededRandom);

}  // namespace
}  // namespace adarun::trainer
