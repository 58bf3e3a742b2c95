// SPDX-License-Identifier: Apache-2.0
#include "trainer/base/run_id.h"

#include <gtest/gtest.h>

namespace adarun::trainer {
namespace {

TEST(RunId, IsDrawnAnewForEachRun) {
  EXPECT_TRUE(is_run_id(new_run_id()));
  EXPECT_NE(new_run_id(), new_run_id());
  EXPECT_EQ(new_run_id().size(), 32U);
}

}  // namespace
}  // namespace adarun::trainer
