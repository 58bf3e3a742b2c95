// SPDX-License-Identifier: Apache-2.0
#include "trainer/run/run_header.h"

#include <gtest/gtest.h>

#include "trainer/models/models.h"
#include "trainer/run/make_learner.h"

namespace adarun::trainer {
namespace {

using Lines = std::vector<std::string>;

Lines lines_of(const std::string& model, const TrainerOptions& options, const Reduction& reduction = {}) {
  return boost_lines(model_named(model, {3, 64, 10}, layer_options(options.boost)), options, reduction);
}

TEST(BoostLines, AreNoneWithoutTheDictionary) {
  EXPECT_TRUE(lines_of("resnet20", {}).empty());
}

TEST(BoostLines, TellOfLessBn) {
  TrainerOptions options;
  options.boost.less_bn.emplace();
  options.optimizer.weight_decay = 1e-4F;
  EXPECT_EQ(lines_of("resnet50", options), Lines{"boost: less_bn: 17 batch normalizations left; normalized "
                                                 "scores; gradients of 52 tensors centralized"});
  options.optimizer.weight_decay = 0;
  EXPECT_EQ(lines_of("lenet5", options), Lines{"boost: less_bn: 0 batch normalizations left; normalized "
                                               "scores; no gradient is centralized (gc_flag) "
                                               "without --weight-decay"});
  options.boost.less_bn = {false, false};
  EXPECT_EQ(lines_of("resnet20", options), Lines{"boost: less_bn: 10 batch normalizations left"});
}

TEST(BoostLines, TellOfGradFreezeAndThatNothingIsFrozen) {
  TrainerOptions options;
  options.boost.grad_freeze.emplace();
  EXPECT_EQ(lines_of("resnet50", options),
            Lines{"boost: grad_freeze: steps train 161 to 26 tensors, in 10 groups"});
  EXPECT_EQ(lines_of("resnet50", options, {Reduce::adasum, 1}),
            Lines{"boost: grad_freeze: steps train 161 to 26 tensors, in 10 groups; AdaSum combines those "
                  "that a step "
                  "trains"});
  EXPECT_EQ(lines_of("lenet5", options),
            Lines{"boost: grad_freeze: nothing is ever frozen: the model has 3 chunks of layers, fewer than "
                  "param_groups 10"});
  options.boost.grad_freeze->groups = 1;
  EXPECT_EQ(lines_of("resnet50", options),
            Lines{"boost: grad_freeze: nothing is ever frozen: param_groups is 1"});
}

TEST(BoostLines, TellWhatDimReduceDiscards) {
  TrainerOptions options;
  options.boost.notes = {"a note"};
  options.boost.dim_reduce.emplace();
  EXPECT_EQ(lines_of("lenet5", options), (Lines{"a note",
                                                "boost: dim_reduce: steps in 32 dimensions; --optimizer, its "
                                                "learning rate and decay are not used"}));
}

}  // namespace
}  // namespace adarun::trainer
