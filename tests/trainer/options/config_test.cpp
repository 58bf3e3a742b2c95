// SPDX-License-Identifier: Apache-2.0
#include "trainer/options/config.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <vector>

#include "tests/scratch_folder.h"
#include "tests/trainer/options/arguments.h"
#include "trainer/options/rules.h"

namespace adarun::trainer {
namespace {

using testing_data::parse;
using testing_data::refusal;

TEST(Presets, HoldTheTutorialsNumbers) {
  const TrainerOptions adasum = *parse({"--preset", "adasum-resnet50-imagenet"});
  EXPECT_EQ(adasum.model, "resnet50");
  EXPECT_EQ(adasum.classes, 1001);
  EXPECT_EQ(adasum.batch_size, 256);
  EXPECT_EQ(adasum.schedule, (ScheduleOptions{"linear", 5, 0, 0}));
  EXPECT_FLOAT_EQ(adasum.optimizer.learning_rate, 0.8F);
  EXPECT_FLOAT_EQ(adasum.optimizer.weight_decay, 1e-4F);
  EXPECT_EQ(adasum.loss_scale.scale, 1024);
  EXPECT_EQ(adasum.reduce, Reduce::adasum);
  EXPECT_EQ(adasum.device_number, 8);
  EXPECT_FLOAT_EQ(adasum.optimizer.momentum, 0.9F);
  EXPECT_EQ(adasum.epochs, 90);
  const TrainerOptions cifar10 = *parse({"--preset", "resnet50-cifar10"});
  EXPECT_EQ(cifar10.image_size, 224);
  EXPECT_EQ(cifar10.batch_size, 32);
  EXPECT_EQ(cifar10.epochs, 10);
  EXPECT_FLOAT_EQ(cifar10.optimizer.learning_rate, 0.01F);
  EXPECT_EQ(cifar10.loss_scale.scale, 1);
  const TrainerOptions accumulation = *parse({"--preset", "mlp-mnist-accumulation"});
  EXPECT_EQ(accumulation.micro_batches, 4);
  EXPECT_EQ(accumulation.reduce, Reduce::mean);
}

TEST(Presets, HoldTheTutorialsBoosts) {
  const TrainerOptions first = *parse({"--preset", "boost-o1-resnet50-imagenet"});
  EXPECT_EQ(first.model, "resnet50");
  EXPECT_TRUE(first.boost.less_bn && first.boost.grad_freeze);
  EXPECT_EQ(first.reduce, Reduce::mean);
  const TrainerOptions second = *parse({"--preset", "boost-o2-resnet50-imagenet"});
  EXPECT_TRUE(second.boost.less_bn && second.boost.grad_freeze);
  EXPECT_EQ(second.reduce, Reduce::adasum);
  EXPECT_EQ(second.adasum_on, AdasumOn::delta);
  EXPECT_EQ(second.device_number, 8);
  const TrainerOptions adasum = *parse({"--preset", "boost-adasum-resnet50-imagenet"});
  EXPECT_FALSE(adasum.boost.less_bn || adasum.boost.grad_freeze);
  EXPECT_EQ(adasum.adasum_on, AdasumOn::delta);
}

TEST(Presets, AreAllAcceptedWhereTheirWorldIs) {
  for (const std::string& name : options::preset_names()) {
    EXPECT_NO_THROW(choose_reduction(*parse({"--preset", name}), 16)) << name;
  }
}

TEST(Recipe, HasWhatLearnedBestUnlessOptionsBesideItSayOtherwise) {
  const TrainerOptions best = *parse({"--model", "resnet20", "--recipe", "best"});
  EXPECT_EQ(best.device_number, 1);
  EXPECT_EQ(best.adasum_per, AdasumPer::row);
  EXPECT_TRUE(best.optimizer.nesterov);
  EXPECT_NO_THROW(choose_reduction(best, 16));
  EXPECT_EQ(parse({"--adasum-per", "tensor", "--recipe=best"})->adasum_per, AdasumPer::tensor);
  const TrainerOptions reference = *parse({"--recipe", "reference"});
  EXPECT_EQ(reference.adasum_per, AdasumPer::tensor);
  EXPECT_FALSE(reference.optimizer.nesterov);
}

TEST(Config, IsChangedByTheCommandLineAndChangesThePreset) {
  const test::ScratchFolder folder;
  const std::string file = folder.write("job.json", R"({"epochs": 7, "lr": 0.5, "eval": false, "seed": 3})");
  const TrainerOptions options = *parse({"--lr", "0.25", "--preset", "lenet5-mnist", "--config", file});
  EXPECT_EQ(options.dataset, "mnist");
  EXPECT_EQ(options.epochs, 7);
  EXPECT_EQ(options.seed, 3U);
  EXPECT_FALSE(options.evaluate);
  EXPECT_FLOAT_EQ(options.optimizer.learning_rate, 0.25F);
}

/// What --print-config prints.
std::string printed(const std::vector<std::string>& arguments) {
  std::vector<std::string> all = arguments;
  all.emplace_back("--print-config");
  testing::internal::CaptureStdout();
  EXPECT_FALSE(parse(all));
  return testing::internal::GetCapturedStdout();
}

TEST(Config, ComesBackFromWhatIsPrinted) {
  const std::vector<std::string> given = {"--preset", "adasum-resnet50-imagenet", "--reduce",     "mean",
                                          "--seed",   "18446744073709551615",     "--loss-scale", "dynamic"};
  const std::string text = printed(given);
  const test::ScratchFolder folder;
  const std::string file = folder.write("job.json", text);
  EXPECT_EQ(printed({"--config", file}), text);
  EXPECT_TRUE(text.starts_with(
      "{\n  \"$schema\": \"file:///usr/share/doc/adarun/docs/trainer-config.schema.json\",\n"))
      << text;
  EXPECT_NE(text.find("\"seed\": 18446744073709551615"), std::string::npos) << text;
  EXPECT_NE(text.find("\"precision\": \"float32\""), std::string::npos) << text;
  EXPECT_EQ(parse({"--config", file})->reduce, Reduce::mean);
  EXPECT_TRUE(parse({"--config", file})->loss_scale.dynamic);
}

TEST(Config, KeepsNamesThatLookLikeNumbers) {
  const test::ScratchFolder folder;
  for (const char* name : {"1.10", "007", "1e3", "-0", "0.02", "12"}) {
    const std::string text = printed({"--checkpoint-dir", name, "--epochs", "7"});
    const std::string file = folder.write("job.json", text);
    EXPECT_EQ(parse({"--config", file})->checkpoint_dir, name) << text;
    EXPECT_NE(text.find("\"epochs\": 7,"), std::string::npos) << text;
  }
}

TEST(Config, TakesPrecisionAndDevice) {
  const test::ScratchFolder folder;
  const std::string file = folder.write("job.json", R"({"precision": "bfloat16", "device": "auto"})");
  EXPECT_EQ(parse({"--config", file})->precision, Precision::bfloat16);
  EXPECT_EQ(parse({"--config", file})->device, DeviceChoice::automatic);
  EXPECT_EQ(parse({"--config", file, "--precision", "float32"})->precision, Precision::float32);
}

TEST(Config, IsRefusedWithItsName) {
  const test::ScratchFolder folder;
  const std::string list = folder.write("list.json", "[1]");
  EXPECT_EQ(refusal(Exit::usage, {"--config", list}), list + ": not a JSON object");
  const std::string other = folder.write("other.json", R"({"epoch": 7})");
  EXPECT_EQ(refusal(Exit::usage, {"--config", other}), other + ": no option is called \"epoch\"");
  EXPECT_NE(refusal(Exit::failed, {"--config", "/nowhere/job.json"}), "accepted");
  const std::string directory = folder.path();
  EXPECT_EQ(refusal(Exit::usage, {"--config", directory}), directory + ": is a directory, wanted a file");
  EXPECT_NE(refusal(Exit::usage, {"--preset", "alexnet"}), "accepted");
}

/// As a shell's <(command) gives it: what has been read is gone.
TEST(Config, IsReadOnce) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const std::string text = R"({"epochs": 3})";
  ASSERT_EQ(::write(ends[1], text.data(), text.size()), static_cast<ssize_t>(text.size()));
  ::close(ends[1]);
  EXPECT_EQ(parse({"--config", "/dev/fd/" + std::to_string(ends[0])})->epochs, 3);
  ::close(ends[0]);
}

}  // namespace
}  // namespace adarun::trainer
