// SPDX-License-Identifier: Apache-2.0
// Options from elsewhere than the command line: files, presets, the reference's boost dictionary.
#include <gtest/gtest.h>

#include <vector>

#include "temp_folder.h"
#include "trainer/error.h"
#include "trainer/options.h"
#include "trainer/options/config.h"
#include "trainer/rules.h"

namespace adarun::trainer {
namespace {

using testing_data::TempFolder;

std::optional<Options> parse(const std::vector<std::string>& arguments) {
  std::vector<const char*> argv = {"adarun-trainer"};
  for (const std::string& argument : arguments) argv.push_back(argument.c_str());
  return parse_options(static_cast<int>(argv.size()), argv.data());
}

/// What `arguments` are refused with, which has `status`.
std::string refusal(Exit status, const std::vector<std::string>& arguments) {
  try {
    parse(arguments);
  } catch (const Error& error) {
    EXPECT_EQ(error.status(), status) << error.what();
    return error.what();
  }
  return "accepted";
}

TEST(Presets, HoldTheTutorialsNumbers) {
  const Options adasum = *parse({"--preset", "adasum-resnet50-imagenet"});
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
  const Options cifar10 = *parse({"--preset", "resnet50-cifar10"});
  EXPECT_EQ(cifar10.image_size, 224);
  EXPECT_EQ(cifar10.batch_size, 32);
  EXPECT_EQ(cifar10.epochs, 10);
  EXPECT_FLOAT_EQ(cifar10.optimizer.learning_rate, 0.01F);
  EXPECT_EQ(cifar10.loss_scale.scale, 1);
  const Options accumulation = *parse({"--preset", "mlp-mnist-accumulation"});
  EXPECT_EQ(accumulation.micro_batches, 4);
  EXPECT_EQ(accumulation.reduce, Reduce::mean);
}

TEST(Presets, AreAllAcceptedWhereTheirWorldIs) {
  for (const std::string& name : options::preset_names()) {
    EXPECT_NO_THROW(combination(*parse({"--preset", name}), 16)) << name;
  }
}

TEST(Config, IsChangedByTheCommandLineAndChangesThePreset) {
  const TempFolder folder;
  const std::string file = folder.write("job.json", R"({"epochs": 7, "lr": 0.5, "eval": false, "seed": 3})");
  const Options options = *parse({"--lr", "0.25", "--preset", "lenet5-mnist", "--config", file});
  EXPECT_EQ(options.dataset, "mnist");
  EXPECT_EQ(options.epochs, 7);
  EXPECT_EQ(options.seed, 3U);
  EXPECT_FALSE(options.evaluate);
  EXPECT_FLOAT_EQ(options.optimizer.learning_rate, 0.25F);
}

TEST(Config, ComesBackFromWhatIsPrinted) {
  const std::vector<std::string> given = {"--preset", "adasum-resnet50-imagenet", "--reduce",     "mean",
                                          "--seed",   "18446744073709551615",     "--loss-scale", "dynamic"};
  std::vector<std::string> with_print = given;
  with_print.emplace_back("--print-config");
  const auto printed = [](const std::vector<std::string>& arguments) {
    testing::internal::CaptureStdout();
    EXPECT_FALSE(parse(arguments));
    return testing::internal::GetCapturedStdout();
  };
  const std::string text = printed(with_print);
  const TempFolder folder;
  const std::string file = folder.write("job.json", text);
  EXPECT_EQ(printed({"--config", file, "--print-config"}), text);
  EXPECT_NE(text.find("\"seed\": 18446744073709551615"), std::string::npos) << text;
  EXPECT_NE(text.find("\"precision\": \"float32\""), std::string::npos) << text;
  EXPECT_EQ(parse({"--config", file})->reduce, Reduce::mean);
  EXPECT_TRUE(parse({"--config", file})->loss_scale.dynamic);
}

TEST(Config, TakesPrecisionAndDevice) {
  const TempFolder folder;
  const std::string file = folder.write("job.json", R"({"precision": "bfloat16", "device": "auto"})");
  EXPECT_EQ(parse({"--config", file})->precision, Precision::bfloat16);
  EXPECT_EQ(parse({"--config", file})->device, DeviceChoice::automatic);
  EXPECT_EQ(parse({"--config", file, "--precision", "float32"})->precision, Precision::float32);
}

TEST(Config, IsRefusedWithItsName) {
  const TempFolder folder;
  const std::string list = folder.write("list.json", "[1]");
  EXPECT_EQ(refusal(Exit::usage, {"--config", list}), list + ": not a JSON object");
  const std::string other = folder.write("other.json", R"({"epoch": 7})");
  EXPECT_EQ(refusal(Exit::usage, {"--config", other}), other + ": no option is called \"epoch\"");
  EXPECT_NE(refusal(Exit::failed, {"--config", "/nowhere/job.json"}), "accepted");
  EXPECT_NE(refusal(Exit::usage, {"--preset", "alexnet"}), "accepted");
}

TEST(Boost, TurnsAdasumOnAsTheTutorialsDictionaryDoes) {
  const Options options = *parse({"--boost", R"({
    "boost": {"mode": "manual", "less_bn": false, "grad_freeze": false, "adasum": true, "grad_accumulation": false,
              "dim_reduce": false, "loss_scale_group": false},
    "common": {"gradient_split_groups": [50, 100], "device_number": 4},
    "less_bn": {"fn_flag": true, "gc_flag": true},
    "grad_freeze": {"param_groups": 10, "freeze_type": 1, "freeze_p": 0.7, "total_steps": 65536},
    "grad_accumulation": {"grad_accumulation_step": 1},
    "dim_reduce": {"rho": 0.55}})"});
  EXPECT_EQ(options.reduce, Reduce::adasum);
  EXPECT_EQ(options.adasum_on, AdasumOn::delta);
  EXPECT_EQ(options.device_number, 4);
}

TEST(Boost, AccumulatesGradients) {
  const Options options = *parse({"--boost", R"({"boost": {"mode": "manual", "grad_accumulation": true},
                                                 "grad_accumulation": {"grad_accumulation_step": 4}})"});
  EXPECT_EQ(options.local_steps, 4);
  EXPECT_FALSE(options.reduce);
}

TEST(Boost, DoesNothingWhereItIsOff) {
  EXPECT_FALSE(parse({"--boost-level", "O0"})->reduce);
  EXPECT_FALSE(
      parse({"--boost-level", "O2", "--boost", R"({"boost": {"mode": "disable_all", "adasum": true}})"})
          ->reduce);
}

TEST(Boost, RefusesWhatIsNotOfferedByName) {
  const auto refused = [](const std::vector<std::string>& arguments, const std::string& name) {
    EXPECT_NE(refusal(Exit::refused, arguments).find("boost: " + name), std::string::npos) << name;
  };
  refused({"--boost-level", "O1"}, "grad_freeze is not offered");
  refused({"--boost-level", "O2"}, "grad_freeze is not offered");
  refused({"--boost", R"({"boost": {"mode": "manual", "less_bn": true}})"}, "less_bn is not offered");
  refused({"--boost", R"({"boost": {"mode": "manual", "dim_reduce": true}})"}, "dim_reduce is not offered");
  refused({"--boost", R"({"boost": {"mode": "enable_all"}})"}, "dim_reduce is not offered");
  refused({"--boost", R"({"boost": {"mode": "manual", "adasum": true, "grad_accumulation": true}})"},
          "adasum with grad_accumulation");
}

TEST(Boost, RefusesWhatIsNoSuchDictionary) {
  for (const char* wrong :
       {"[]", "{", R"({"boots": {}})", R"({"boost": 1})", R"({"boost": {"adasumm": true}})",
        R"({"boost": {"adasum": "yes"}})", R"({"boost": {"mode": "some"}})", R"({"less_bn": true})",
        R"({"boost": {"mode": "manual", "adasum": true}, "common": {"device_number": 0}})"}) {
    EXPECT_NE(refusal(Exit::usage, {"--boost", wrong}), "accepted") << wrong;
  }
}

}  // namespace
}  // namespace adarun::trainer
