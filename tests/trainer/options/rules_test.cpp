// SPDX-License-Identifier: Apache-2.0
#include "trainer/options/rules.h"

#include <gtest/gtest.h>

#include <vector>

#include "trainer/base/error.h"
#include "trainer/options/parse.h"

namespace adarun::trainer {
namespace {

TrainerOptions parse(std::vector<const char*> arguments) {
  arguments.insert(arguments.begin(), "adarun-trainer");
  return parse_options(static_cast<int>(arguments.size()), arguments.data()).value();
}

Reduction with(const std::vector<const char*>& arguments, int world_size) {
  return choose_reduction(parse(arguments), world_size);
}

TEST(Rules, ChooseAdasumWhereThereAreSeveralRanks) {
  EXPECT_EQ(with({}, 1), (Reduction{Reduce::none, 1}));
  EXPECT_EQ(with({}, 16), (Reduction{Reduce::adasum, 8}));
  EXPECT_EQ(with({"--device-number", "flat"}, 16), (Reduction{Reduce::adasum, 1}));
  EXPECT_EQ(with({"--device-number", "4"}, 16), (Reduction{Reduce::adasum, 4}));
  EXPECT_EQ(with({"--reduce", "mean"}, 12), (Reduction{Reduce::mean, 1}));
  EXPECT_EQ(with({"--adasum-world", "any"}, 8), (Reduction{Reduce::adasum, 1}));
  EXPECT_EQ(with({"--adasum-world", "any", "--device-number", "3"}, 12), (Reduction{Reduce::adasum, 3}));
  EXPECT_EQ(with({"--adasum-world", "any"}, 12), (Reduction{Reduce::adasum, 1}));
  EXPECT_EQ(with({"--adasum-world", "any"}, 24), (Reduction{Reduce::adasum, 8}));
}

TEST(Rules, LetOneRankOfAnyWorldCombineNothing) {
  EXPECT_EQ(with({"--reduce", "adasum", "--adasum-world", "any"}, 1), (Reduction{Reduce::none, 1}));
  EXPECT_THROW(with({"--reduce", "adasum", "--adasum-world", "any", "--adasum-on", "delta"}, 1), Error);
}

TEST(Rules, LetDimReduceTakeTheMean) {
  const char* const boost = R"({"boost": {"mode": "enable_all"}, "dim_reduce": {"weight_load_dir": "d"}})";
  const auto of = [&](std::vector<const char*> more, int world_size) {
    more.insert(more.end(), {"--boost-level", "O2", "--boost", boost});
    return with(more, world_size);
  };
  EXPECT_EQ(of({}, 1), (Reduction{Reduce::none, 1}));
  EXPECT_EQ(of({}, 6), (Reduction{Reduce::mean, 1}));
  EXPECT_EQ(of({"--reduce", "mean"}, 16), (Reduction{Reduce::mean, 1}));
  for (const char* reduce : {"adasum", "sum", "none"})
    EXPECT_THROW(of({"--reduce", reduce}, 16), Error) << reduce;
  EXPECT_THROW(of({"--reduce", "mean", "--shard-optimizer"}, 16), Error);
  EXPECT_THROW(of({"--adasum-on", "delta"}, 16), Error);
  for (const char* folder : {"d", "d/", "./d", "e/../d"})
    EXPECT_THROW(of({"--checkpoint-dir", folder}, 1), Error) << folder;
  EXPECT_EQ(of({"--checkpoint-dir", "e"}, 1), (Reduction{Reduce::none, 1}));
}

TEST(Rules, TakeAGainOfGroupsAndRows) {
  EXPECT_EQ(with({"--group-gain", "spread", "--adasum-per", "row"}, 16),
            (Reduction{Reduce::adasum, 8, adasum::GroupGain::spread, AdasumPer::row}));
  EXPECT_THROW(with({"--group-gain", "spread", "--device-number", "flat"}, 16), Error);
  EXPECT_THROW(with({"--group-gain", "spread", "--bucket-mb", "1"}, 16), Error);
  EXPECT_THROW(with({"--adasum-per", "row", "--bucket-mb", "1"}, 16), Error);
  EXPECT_THROW(with({"--adasum-per", "row", "--adasum-diagnostics", "1"}, 16), Error);
  EXPECT_THROW(with({"--adasum-per", "row", "--reduce", "mean"}, 16), Error);
  EXPECT_THROW(with({"--group-gain", "spread", "--reduce", "mean"}, 16), Error);
}

TEST(Rules, RefuseBucketsOfTensorsThatAreFrozen) {
  EXPECT_NO_THROW(with({"--bucket-mb", "1"}, 16));
  EXPECT_THROW(with({"--bucket-mb", "1", "--boost-level", "O1"}, 16), Error);
}

TEST(Rules, RefuseInTheWordsThatUsersKnow) {
  struct Case {
    std::vector<const char*> arguments;
    int world_size;
    std::string message;
  };
  const std::string device_num =
      "The device_num must be at least 16 and must be the power of 2 when applying adasum.";
  const Case cases[] = {
      {{"--reduce", "adasum"}, 1, "Stand alone mode is not supported to apply adasum."},
      {{"--reduce", "adasum", "--adasum-world", "any", "--parallel-mode", "stand_alone"},
       1,
       "Stand alone mode is not supported to apply adasum."},
      {{}, 8, device_num},
      {{}, 12, device_num},
      {{}, 24, device_num},
      {{"--device-number", "3"}, 16, "16 ranks in groups of 3 (--device-number): do not come out even"},
      {{"--device-number", "16"},
       16,
       "16 ranks in groups of 16 (--device-number): one group leaves AdaSum nothing to combine"},
  };
  for (const Case& wrong : cases) {
    try {
      with(wrong.arguments, wrong.world_size);
      ADD_FAILURE() << wrong.message << ": accepted";
    } catch (const Error& error) {
      EXPECT_EQ(error.what(), wrong.message);
      EXPECT_EQ(error.status(), Exit::refused);
    }
  }
}

TEST(Rules, RefuseWhatIsOfAdasumWithoutIt) {
  EXPECT_THROW(with({"--reduce", "mean", "--adasum-on", "delta"}, 16), Error);
  EXPECT_THROW(with({"--adasum-on", "delta"}, 1), Error);
  EXPECT_THROW(with({"--reduce", "mean", "--adasum-diagnostics", "5"}, 16), Error);
  EXPECT_THROW(with({"--reduce", "mean", "--bucket-mb", "5"}, 16), Error);
  EXPECT_THROW(with({"--adasum-on", "delta", "--bucket-mb", "5"}, 16), Error);
}

}  // namespace
}  // namespace adarun::trainer
