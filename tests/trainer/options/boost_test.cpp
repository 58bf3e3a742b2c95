// SPDX-License-Identifier: Apache-2.0
// The reference's boost dictionary and level.
#include <gtest/gtest.h>

#include "tests/trainer/options/arguments.h"

namespace adarun::trainer {
namespace {

using testing_data::parse;
using testing_data::refusal;

TrainerOptions boosted(const std::string& level, const std::string& dictionary = "{}") {
  return *parse({"--boost-level", level, "--boost", dictionary});
}

/// The names of what is on.
std::string on(const TrainerOptions& options) {
  const BoostOptions& boost = options.boost;
  return std::string(boost.less_bn ? "less_bn " : "") + (boost.grad_freeze ? "grad_freeze " : "") +
         (boost.dim_reduce ? "dim_reduce " : "") + (options.reduce == Reduce::adasum ? "adasum " : "") +
         (options.local_steps > 1 ? "grad_accumulation " : "");
}

TEST(Boost, TurnsOnTheSwitchesOfItsLevel) {
  EXPECT_EQ(on(boosted("O0")), "");
  EXPECT_EQ(on(boosted("O1")), "less_bn grad_freeze ");
  EXPECT_EQ(on(boosted("O2")), "less_bn grad_freeze adasum ");
  EXPECT_EQ(on(boosted("O1", R"({"boost": {"mode": "auto", "less_bn": false, "adasum": true}})")),
            "less_bn grad_freeze ");
}

TEST(Boost, OverridesOnlyTheSwitchesThatAreGiven) {
  EXPECT_EQ(on(boosted("O2", R"({"boost": {"mode": "manual", "adasum": true}})")),
            "less_bn grad_freeze adasum ");
  EXPECT_EQ(on(boosted("O1", R"({"boost": {"mode": "manual", "adasum": true}})")),
            "less_bn grad_freeze adasum ");
  EXPECT_EQ(on(boosted("O2", R"({"boost": {"mode": "manual", "less_bn": false, "adasum": false}})")),
            "grad_freeze ");
}

TEST(Boost, TurnsAdasumOnAsTheTutorialsDictionaryDoes) {
  const TrainerOptions options = boosted("O1", R"({
    "boost": {"mode": "manual", "less_bn": false, "grad_freeze": false, "adasum": true, "grad_accumulation": false,
              "dim_reduce": false, "loss_scale_group": false},
    "common": {"gradient_split_groups": [50, 100], "device_number": 4},
    "less_bn": {"fn_flag": true, "gc_flag": true},
    "grad_freeze": {"param_groups": 10, "freeze_type": 1, "freeze_p": 0.7, "total_steps": 65536},
    "grad_accumulation": {"grad_accumulation_step": 1},
    "dim_reduce": {"rho": 0.55}})");
  EXPECT_EQ(on(options), "adasum ");
  EXPECT_EQ(options.adasum_on, AdasumOn::delta);
  EXPECT_EQ(options.device_number, 4);
}

TEST(Boost, LeavesTheSizeOfGroupsToItsOption) {
  EXPECT_EQ(boosted("O2").device_number, 8);
  EXPECT_EQ(parse({"--boost-level", "O2", "--device-number", "flat"})->device_number, 1);
}

TEST(Boost, RefusesAnOptionThatSaysSomethingElse) {
  const auto refused = [](const std::string& option, const std::string& value,
                          const std::string& dictionary) {
    return refusal(Exit::usage, {"--boost-level", "O2", "--boost", dictionary, option, value});
  };
  EXPECT_EQ(refused("--reduce", "mean", ""),
            "boost: adasum is on, but --reduce is not adasum: leave one of them out");
  EXPECT_EQ(refused("--adasum-on", "gradient", ""),
            "boost: adasum is on, of weight deltas, but --adasum-on is gradient: leave one of them out");
  EXPECT_EQ(refused("--device-number", "4", R"({"common": {"device_number": 8}})"),
            "boost: common.device_number is 8, but --device-number is 4: leave one of them out");
  EXPECT_EQ(refused("--device-number", "flat", R"({"common": {"device_number": 8}})"),
            "boost: common.device_number is 8, but --device-number is flat: leave one of them out");
  EXPECT_EQ(refused("--local-steps", "4",
                    R"({"boost": {"mode": "manual", "adasum": false, "grad_accumulation": true}})"),
            "boost: grad_accumulation_step is 1, but --local-steps is 4: leave one of them out");
  EXPECT_EQ(refused("--device-number", "8", R"({"common": {"device_number": 8}})"), "accepted");
}

TEST(Boost, IsChangedByOptionsBesideItsPresetAndChangesThoseOfOthers) {
  const TrainerOptions fours = *parse({"--preset", "boost-adasum-resnet50-imagenet", "--device-number", "4"});
  EXPECT_EQ(on(fours), "adasum ");
  EXPECT_EQ(fours.device_number, 4);
  const TrainerOptions mean = *parse({"--preset", "boost-o2-resnet50-imagenet", "--reduce", "mean"});
  EXPECT_EQ(on(mean), "less_bn grad_freeze ");
  EXPECT_EQ(mean.adasum_on, AdasumOn::gradient);
  EXPECT_EQ(on(*parse({"--preset", "boost-o1-resnet50-imagenet", "--boost-level", "O2"})),
            "less_bn grad_freeze adasum ");
  const char* four = R"({"common": {"device_number": 4}})";
  EXPECT_EQ(parse({"--preset", "boost-o2-resnet50-imagenet", "--boost", four})->device_number, 4);
}

TEST(Boost, AccumulatesGradients) {
  const TrainerOptions options =
      boosted("O1", R"({"boost": {"mode": "manual", "grad_accumulation": true, "grad_freeze": false},
                        "grad_accumulation": {"grad_accumulation_step": 4}})");
  EXPECT_EQ(options.local_steps, 4);
  EXPECT_FALSE(options.reduce);
}

TEST(Boost, DoesNothingAtLevelO0AndSaysSo) {
  for (const char* mode : {"auto", "manual", "enable_all"}) {
    const TrainerOptions options = boosted(
        "O0", std::string(R"({"boost": {"adasum": true, "less_bn": true, "mode": ")") + mode + "\"}}");
    EXPECT_EQ(on(options), "");
    ASSERT_EQ(options.boost.notes.size(), 1U);
    EXPECT_NE(options.boost.notes[0].find("level O0: the dictionary has no effect"), std::string::npos);
  }
  EXPECT_EQ(boosted("O0", R"({"common": {"device_number": 8}})").boost.notes.size(), 1U) << "no mode";
  EXPECT_TRUE(boosted("O0", R"({"boost": {"mode": "disable_all"}})").boost.notes.empty());
  EXPECT_TRUE(boosted("O0", "{}").boost.notes.empty());
  EXPECT_TRUE(parse({})->boost.notes.empty());
}

TEST(Boost, TurnsEverythingOff) {
  EXPECT_EQ(on(boosted("O2", R"({"boost": {"mode": "disable_all", "adasum": true}})")), "");
}

TEST(Boost, ReadsWhatTheSectionsSay) {
  const TrainerOptions options = boosted("O1", R"({
    "less_bn": {"fn_flag": false},
    "grad_freeze": {"param_groups": 4, "freeze_type": 0, "freeze_p": 0.5, "total_steps": 100}})");
  EXPECT_EQ(options.boost.less_bn, (LessBnOptions{false, true}));
  EXPECT_EQ(options.boost.grad_freeze, (GradFreezeOptions{4, FreezeOrder::periodic, 0.5, 100}));
  EXPECT_EQ(boosted("O1").boost.less_bn, (LessBnOptions{true, true}));
  EXPECT_EQ(boosted("O1").boost.grad_freeze, (GradFreezeOptions{10, FreezeOrder::drawn, 0.7, 65536}));
}

TEST(Boost, LetsDimReduceTakeThePlaceOfAllButAccumulation) {
  const TrainerOptions options = boosted("O2", R"({
    "boost": {"mode": "enable_all"}, "grad_accumulation": {"grad_accumulation_step": 2},
    "dim_reduce": {"rho": 0.5, "gamma": 0.8, "alpha": 0.01, "sigma": 0.3, "n_components": 16,
                   "pca_mat_path": "basis.npy", "weight_load_dir": "kept", "timeout": 60}})");
  EXPECT_EQ(on(options), "dim_reduce grad_accumulation ");
  EXPECT_EQ(options.boost.dim_reduce, (DimReduceOptions{0.5, 0.8, 0.01, 0.3, 16, "basis.npy", "kept", 60}));
}

TEST(Boost, ReadsASectionOnlyWhereItsSwitchIsOn) {
  EXPECT_EQ(on(boosted("O1", R"({"dim_reduce": {"rho": "none"}, "grad_accumulation": {"step": -1}})")),
            "less_bn grad_freeze ");
}

TEST(Boost, RefusesWhatIsNotOfferedByName) {
  const auto refused = [](const std::string& dictionary, const std::string& name) {
    EXPECT_NE(refusal(Exit::refused, {"--boost-level", "O1", "--boost", dictionary}).find("boost: " + name),
              std::string::npos)
        << name;
  };
  refused(R"({"boost": {"mode": "manual", "loss_scale_group": true}})", "loss_scale_group is not offered");
  refused(R"({"boost": {"mode": "manual", "adasum": true, "grad_accumulation": true}})",
          "adasum with grad_accumulation");
}

TEST(Boost, RefusesWhatIsNoSuchDictionary) {
  for (const char* wrong :
       {"[]",
        "{",
        R"({"boots": {}})",
        R"({"boost": 1})",
        R"({"boost": {"adasumm": true}})",
        R"({"boost": {"adasum": "yes"}})",
        R"({"boost": {"mode": "some"}})",
        R"({"less_bn": true})",
        R"({"common": {"device_number": 0}})",
        R"({"common": {"device_num": 8}})",
        R"({"less_bn": {"fn_flag": 1}})",
        R"({"less_bn": {"fn": true}})",
        R"({"grad_freeze": {"freeze_type": 2}})",
        R"({"grad_freeze": {"freeze_p": 1}})",
        R"({"grad_freeze": {"freeze_p": -0.1}})",
        R"({"grad_freeze": {"freeze_p": "0.7"}})",
        R"({"grad_freeze": {"param_groups": 0}})",
        R"({"grad_freeze": {"param_groups": 2.5}})",
        R"({"grad_freeze": {"total_steps": 4294967297}})",
        R"({"boost": {"mode": "manual", "dim_reduce": true}})",
        R"({"boost": {"mode": "manual", "dim_reduce": true}, "dim_reduce": {"weight_load_dir": 1}})",
        R"({"boost": {"mode": "manual", "dim_reduce": true},
            "dim_reduce": {"weight_load_dir": "d", "timeout": 0}})"}) {
    EXPECT_NE(refusal(Exit::usage, {"--boost-level", "O1", "--boost", wrong}), "accepted") << wrong;
  }
}

TEST(Boost, NamesWhatMayStandWhereAnUnknownNameDoes) {
  const auto refused = [](const char* dictionary) {
    return refusal(Exit::usage, {"--boost-level", "O1", "--boost", dictionary});
  };
  EXPECT_EQ(refused(R"({"boost": {"lessbn": true}})"),
            "--boost: boost.lessbn: not one of adasum, dim_reduce, grad_accumulation, grad_freeze, less_bn, "
            "loss_scale_group, mode");
  EXPECT_EQ(refused(R"({"boots": {}})"),
            "--boost: boots: not one of adasum, dim_reduce, grad_accumulation, grad_freeze, less_bn, "
            "loss_scale_group, boost, common");
  EXPECT_EQ(refused(R"({"less_bn": {"fn": true}})"), "--boost: less_bn.fn: not one of fn_flag, gc_flag");
}

TEST(Boost, RefusesALevelThatTheReferenceDoesNotHave) {
  EXPECT_NE(refusal(Exit::usage, {"--boost-level", "O3"}), "accepted");
}

}  // namespace
}  // namespace adarun::trainer
