// SPDX-License-Identifier: Apache-2.0
#include "trainer/options/parse.h"

#include <gtest/gtest.h>

#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include "tests/trainer/options/arguments.h"

namespace adarun::trainer {
namespace {

using testing_data::refusal;

TrainerOptions parse(const std::vector<std::string>& arguments) {
  return testing_data::parse(arguments).value();
}

/// Of words with a space between each two.
TrainerOptions parse_words(const std::string& words) {
  std::istringstream in(words);
  return parse({std::istream_iterator<std::string>(in), {}});
}

TEST(Options, HaveNesterovWithMomentumAlone) {
  EXPECT_TRUE(parse({"--nesterov"}).optimizer.nesterov);
  EXPECT_THROW(parse({"--nesterov", "--optimizer", "adam"}), Error);
}

TEST(Options, HaveTheirDefaults) {
  const TrainerOptions options = parse({});
  EXPECT_EQ(options.model, "lenet5");
  EXPECT_EQ(options.dataset, "digits");
  EXPECT_EQ(options.optimizer.name, "momentum");
  EXPECT_FALSE(options.reduce);
  EXPECT_FALSE(options.device_number);
  EXPECT_EQ(options.adasum_world, AdasumWorld::reference);
  EXPECT_FALSE(options.evaluate);
}

TEST(Options, ReachTheirFields) {
  const TrainerOptions options = parse_words(
      "--model mlp --epochs=3 --batch-size 64 --lr 0.5 --momentum 0.8 --seed 18446744073709551615 "
      "--reduce mean --adasum-on delta --device-number 4 --eval --log-every 7 --max-steps 9 "
      "--adasum-world any --label-smoothing 0.1 --weight-decay 1e-4 --optimizer sgd --data-path /d");
  EXPECT_EQ(options.model, "mlp");
  EXPECT_EQ(options.epochs, 3);
  EXPECT_EQ(options.batch_size, 64);
  EXPECT_FLOAT_EQ(options.optimizer.learning_rate, 0.5F);
  EXPECT_FLOAT_EQ(options.optimizer.momentum, 0.8F);
  EXPECT_FLOAT_EQ(options.optimizer.weight_decay, 1e-4F);
  EXPECT_EQ(options.optimizer.name, "sgd");
  EXPECT_EQ(options.seed, 18446744073709551615U);
  EXPECT_EQ(options.reduce, Reduce::mean);
  EXPECT_EQ(options.adasum_on, AdasumOn::delta);
  EXPECT_EQ(options.adasum_world, AdasumWorld::any);
  EXPECT_EQ(options.device_number, 4);
  EXPECT_TRUE(options.evaluate);
  EXPECT_EQ(options.log_every, 7);
  EXPECT_EQ(options.max_steps, 9);
  EXPECT_DOUBLE_EQ(options.label_smoothing, 0.1);
  EXPECT_EQ(options.data_path, "/d");
  EXPECT_EQ(parse({"--device-number", "flat"}).device_number, 1);
}

TEST(Options, RefuseWhatIsWrongAsUsage) {
  const std::vector<std::vector<std::string>> cases = {{"--modle", "mlp"},
                                                       {"--model", "vgg"},
                                                       {"--epochs", "0"},
                                                       {"--epochs", "two"},
                                                       {"--batch-size", "-1"},
                                                       {"--lr", "fast"},
                                                       {"--lr", "-1"},
                                                       {"--momentum", "1.5"},
                                                       {"--reduce", "max"},
                                                       {"--adasum-on", "weights"},
                                                       {"--seed", "-1"},
                                                       {"--label-smoothing", "2"},
                                                       {"--device-number", "0"},
                                                       {"--device-number", "some"},
                                                       {"--log-every", "0"},
                                                       {"--max-steps", "-2"},
                                                       {"--epochs"},
                                                       {"more"},
                                                       {"--dataset", "mist"},
                                                       {"--adasum-world", "0"},
                                                       {"--lr", "nan"},
                                                       {"--schedule", "wave"},
                                                       {"--loss-scale", "0"},
                                                       {"--loss-scale", "static"},
                                                       {"--loss-scale", "1e-320"},
                                                       {"--micro-batches", "3"},
                                                       {"--beta2", "1"},
                                                       {"--local-steps", "0"},
                                                       {"--precision", "half"},
                                                       {"--device", "gpu"}};
  for (const auto& arguments : cases)
    EXPECT_NE(refusal(Exit::usage, arguments), "accepted") << arguments.front() << " " << arguments.back();
}

// As adarun reads numbers; CLI11 would take 010 for 8.
TEST(Options, AreWholeNumbersInDecimalDigits) {
  EXPECT_EQ(parse({"--epochs", "010"}).epochs, 10);
  EXPECT_EQ(parse({"--seed", "08"}).seed, 8U);
  EXPECT_EQ(parse({"--workers", "007"}).workers, 7);
  EXPECT_EQ(parse({"--device-number", "010"}).device_number, 10);
  EXPECT_EQ(parse({"--max-steps", "0"}).max_steps, 0);
  for (const std::string text : {"0x10", "+5", " 5", "5 ", "1e3", "", "1.0", "1073741825"})
    EXPECT_EQ(refusal(Exit::usage, {"--max-steps", text}),
              "--max-steps: \"" + text +
                  "\": wanted a whole number from 0 to 1073741824 (see adarun-trainer --help)");
  EXPECT_THROW(parse({"--seed", "18446744073709551616"}), Error);
  EXPECT_THROW(parse({"--device-number", "0x10"}), Error);
}

TEST(Options, MeasureWithinAnEpochOnlyWhereTheyMeasureAtAll) {
  EXPECT_EQ(parse({"--eval", "--eval-every", "5"}).evaluate_steps, 5);
  EXPECT_EQ(parse({"--eval-every", "0"}).evaluate_steps, 0);
  EXPECT_EQ(refusal(Exit::usage, {"--eval-every", "5"}), "--eval-every: wanted --eval too");
}

TEST(Options, NameTheRangeOfANumber) {
  const auto refused = [](const char* option, const char* text) {
    return refusal(Exit::usage, {option, text});
  };
  const std::string see = " (see adarun-trainer --help)";
  EXPECT_EQ(refused("--lr", "5e9"), "--lr: \"5e9\": wanted a number from 0 to 1000000" + see);
  EXPECT_EQ(refused("--beta1", "1"), "--beta1: \"1\": wanted a number from 0 to 0.999999" + see);
  EXPECT_EQ(refused("--momentum", "nan"), "--momentum: \"nan\": wanted a number from 0 to 1" + see);
  EXPECT_EQ(refused("--momentum", "0.9x"), "--momentum: \"0.9x\": wanted a number from 0 to 1" + see);
}

TEST(Options, NameTheRangeOfALossScale) {
  for (const std::string text : {"1e36", "1e-36", "0", "1e400", "half"})
    EXPECT_EQ(
        refusal(Exit::usage, {"--loss-scale", text}),
        "--loss-scale " + text + ": wanted a number from 2^-60 to 2^60 (8.7e-19 to 1.15e18), or dynamic");
  EXPECT_EQ(parse({"--loss-scale", "1e18"}).loss_scale.scale, 1e18);
}

TEST(Options, TakeLearningApart) {
  const TrainerOptions options = parse_words(
      "--schedule linear --warmup-epochs 5 --lr-start 0.1 --lr-end 0.2 --loss-scale 1024 --drop-overflow "
      "--micro-batches 4 --local-steps 2 --optimizer lamb --beta1 0.8 --epsilon 1e-6");
  EXPECT_EQ(options.schedule, (ScheduleOptions{"linear", 5, 0.1, 0.2}));
  EXPECT_EQ(options.loss_scale, (adasum::LossScaleOptions{1024, false, true}));
  EXPECT_EQ(options.micro_batches, 4);
  EXPECT_EQ(options.local_steps, 2);
  EXPECT_EQ(options.optimizer.name, "lamb");
  EXPECT_FLOAT_EQ(options.optimizer.beta1, 0.8F);
  EXPECT_FLOAT_EQ(options.optimizer.epsilon, 1e-6F);
  EXPECT_TRUE(parse({"--loss-scale", "dynamic"}).loss_scale.dynamic);
}

TEST(Options, SayInWhatAndWhereIsComputed) {
  EXPECT_EQ(parse({}).precision, Precision::float32);
  EXPECT_EQ(parse({"--precision", "bfloat16"}).precision, Precision::bfloat16);
  EXPECT_EQ(parse({}).device, DeviceChoice::cpu);
  EXPECT_EQ(parse({"--device", "auto"}).device, DeviceChoice::automatic);
}

TEST(Options, NameTheChoicesWhereOneIsUnknown) {
  EXPECT_EQ(refusal(Exit::usage, {"--precision", "half"}),
            "--precision: half not in {bfloat16,float32} (see adarun-trainer --help)");
}

}  // namespace
}  // namespace adarun::trainer
