// SPDX-License-Identifier: Apache-2.0
#include "trainer/options/elastic_rules.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "trainer/base/error.h"
#include "trainer/options/parse.h"

namespace adarun::trainer {
namespace {

constexpr Reduction in_groups{Reduce::adasum, 8, adasum::GroupGain::spread};

TEST(ReductionOfFewer, HasGroupsIfTheyComeOutEven) {
  TrainerOptions options;
  EXPECT_EQ(reduction_of_fewer(options, in_groups, 16), in_groups);
  EXPECT_EQ(reduction_of_fewer(options, in_groups, 15), (Reduction{Reduce::adasum, 1}));
  EXPECT_EQ(reduction_of_fewer(options, in_groups, 8), (Reduction{Reduce::adasum, 1})) << "one group";
  options.device_number = 4;
  const Reduction of_four{Reduce::adasum, 4, adasum::GroupGain::none, AdasumPer::row};
  EXPECT_EQ(reduction_of_fewer(options, of_four, 12), of_four);
  EXPECT_EQ(reduction_of_fewer(options, of_four, 11),
            (Reduction{Reduce::adasum, 1, adasum::GroupGain::none, AdasumPer::row}));
  options.device_number = 1;
  EXPECT_EQ(reduction_of_fewer(options, {Reduce::adasum, 1}, 16), (Reduction{Reduce::adasum, 1}));
}

// As a run of that many ranks chooses by itself, from which the ranks that are left are not to differ.
TEST(ReductionOfFewer, IsThatOfARunWithAsManyRanks) {
  TrainerOptions options;
  options.adasum_world = AdasumWorld::any;
  for (const int ranks : {2, 7, 8, 9, 15, 16, 24})
    EXPECT_EQ(reduction_of_fewer(options, choose_reduction(options, 32), ranks),
              choose_reduction(options, ranks))
        << ranks;
}

TEST(ReductionOfFewer, IsThatOfTheTrainingForOneRank) {
  EXPECT_EQ(reduction_of_fewer({}, in_groups, 1).reduce, Reduce::adasum);
  EXPECT_EQ(reduction_of_fewer({}, {Reduce::mean, 1}, 1), (Reduction{Reduce::mean, 1}));
}

TEST(ReductionOfFewer, IsSaidWhereGroupsAreGivenUp) {
  EXPECT_EQ(note_on_fewer(in_groups, {Reduce::adasum, 1}, 15),
            "15 ranks in groups of 8: do not come out even: from here on without groups and --group-gain");
  EXPECT_EQ(note_on_fewer({Reduce::adasum, 4}, {Reduce::adasum, 1}, 7),
            "7 ranks in groups of 4: do not come out even: from here on without groups");
  EXPECT_EQ(
      note_on_fewer({Reduce::adasum, 8}, {Reduce::adasum, 1}, 8),
      "8 ranks in groups of 8: one group leaves AdaSum nothing to combine: from here on without groups");
  EXPECT_EQ(note_on_fewer(in_groups, in_groups, 16), "");
  EXPECT_EQ(note_on_fewer({Reduce::adasum, 1}, {Reduce::adasum, 8}, 16), "");
}

// Also by --check-options, before anything is connected.
TEST(CheckElastic, RefusesWhatIsLostWithARankWhenOptionsAreRead) {
  const auto refusal = [](std::vector<const char*> more) -> std::string {
    more.insert(more.begin(), {"adarun-trainer", "--check-options", "--elastic"});
    try {
      parse_options(static_cast<int>(more.size()), more.data());
    } catch (const Error& error) {
      EXPECT_EQ(error.status(), Exit::usage);
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(refusal({}), "");
  EXPECT_EQ(
      refusal({"--adasum-on", "delta"}),
      "--adasum-on delta: not with --elastic (--min-ranks): what a rank alone has is lost when it ends");
  EXPECT_NE(refusal({"--parallel-mode", "stand_alone", "--reduce", "none"}), "");
  EXPECT_NE(refusal({"--parallel-mode", "stand_alone"}), "");
  EXPECT_NE(refusal({"--communicator", "mpi"}), "");
}

}  // namespace
}  // namespace adarun::trainer
