// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/train.h"

#include <gtest/gtest.h>

#include <filesystem>

namespace adarun::cli {
namespace {

using Words = std::vector<std::string>;

TEST(Train, HoldsTheWorldToTheRulesOfAdaSumUnlessTheTrainerIsToldOtherwise) {
  const std::pair<Words, bool> cases[] = {
      {{}, true},
      {{"--epochs", "2"}, true},
      {{"--reduce", "adasum"}, true},
      {{"--reduce=adasum"}, true},
      {{"--reduce", "mean"}, false},
      {{"--reduce=mean"}, false},
      {{"--reduce", "mean", "--reduce", "adasum"}, true},
      {{"--adasum-world", "any"}, false},
      {{"--adasum-world", "reference"}, true},
      {{"--preset", "mlp"}, false},
      {{"--config", "run.toml"}, false},
      {{"--preset", "mlp", "--reduce", "adasum"}, true},
      {{"--boost", "{}", "--boost-level", "O1"}, false},
      {{"--boost-level", "O1"}, true},
      {{"--reduce"}, true},
      {{"--parallel-mode", "stand_alone"}, false},
      {{"--parallel-mode=stand_alone"}, false},
      {{"--parallel-mode", "stand_alone", "--reduce", "adasum"}, true},
      {{"--parallel-mode", "stand_alone", "--parallel-mode", "data_parallel"}, true},
      {{"--parallel-mode", "data_parallel"}, true},
  };
  for (const auto& [words, wanted] : cases)
    EXPECT_EQ(wants_adasum_rules(words, 8), wanted) << testing::PrintToString(words);
}

TEST(Train, HoldsOneRankToTheRulesOfAdaSumOnlyWhereItIsToldToReduceByIt) {
  EXPECT_FALSE(wants_adasum_rules({}, 1));
  EXPECT_FALSE(wants_adasum_rules({"--epochs", "2"}, 1));
  EXPECT_FALSE(wants_adasum_rules({"--reduce", "mean"}, 1));
  EXPECT_TRUE(wants_adasum_rules({"--reduce", "adasum"}, 1));
  EXPECT_TRUE(wants_adasum_rules({}, 2));
}

TEST(Train, IsAskedForTheTrainersHelpAndVersion) {
  EXPECT_EQ(asked_of_trainer({"--epochs", "2", "--help"}), "--help");
  EXPECT_EQ(asked_of_trainer({"-h", "--version"}), "--help");
  EXPECT_EQ(asked_of_trainer({"--eval", "--version"}), "--version");
  for (const Words& words : {Words{}, Words{"--epochs", "2"}, Words{"help"}, Words{"--help=1"}})
    EXPECT_EQ(asked_of_trainer(words), "") << testing::PrintToString(words);
}

TEST(Train, TakesTheTrainerBesideThisProgramUnlessOneIsGiven) {
  EXPECT_EQ(trainer_program("/opt/trainer"), "/opt/trainer");
  EXPECT_EQ(trainer_program(""),
            std::filesystem::read_symlink("/proc/self/exe").parent_path() / "adarun-trainer");
}

}  // namespace
}  // namespace adarun::cli
