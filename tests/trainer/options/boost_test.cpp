// SPDX-License-Identifier: Apache-2.0
// The reference's boost dictionary and level.
#include <gtest/gtest.h>

#include "tests/trainer/options/arguments.h"

namespace adarun::trainer {
namespace {

using testing_data::parse;
using testing_data::refusal;

TEST(Boost, TurnsAdasumOnAsTheTutorialsDictionaryDoes) {
  const TrainerOptions options = *parse({"--boost", R"({
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
  const TrainerOptions options =
      *parse({"--boost", R"({"boost": {"mode": "manual", "grad_accumulation": true},
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
