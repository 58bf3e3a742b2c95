// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tests/trainer/options/arguments.h"
#include "trainer/options/rules.h"

namespace adarun::trainer {
namespace {

using testing_data::refusal;

Reduction with(const std::vector<std::string>& arguments, int world_size) {
  return choose_reduction(testing_data::parse(arguments).value(), world_size);
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
  const auto of = [&](std::vector<std::string> more, int world_size) {
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
    std::vector<std::string> arguments;
    int world_size;
    std::string message;
  };
  const auto device_num = [](int ranks) {
    return "The device_num must be at least 16 and must be the power of 2 when applying adasum. To train "
           "with " +
           std::to_string(ranks) + " ranks all the same, add --adasum-world any.";
  };
  const Case cases[] = {
      {{"--reduce", "adasum"}, 1, "Stand alone mode is not supported to apply adasum."},
      {{"--reduce", "adasum", "--adasum-world", "any", "--parallel-mode", "stand_alone"},
       1,
       "Stand alone mode is not supported to apply adasum."},
      {{}, 8, device_num(8)},
      {{}, 12, device_num(12)},
      {{}, 24, device_num(24)},
      {{"--device-number", "3"}, 16, "16 ranks in groups of 3 (--device-number): do not come out even"},
      {{"--device-number", "16"},
       16,
       "16 ranks in groups of 16 (--device-number): one group leaves AdaSum nothing to combine"},
  };
  for (const Case& wrong : cases)
    EXPECT_EQ(refusal(Exit::refused, [&] { with(wrong.arguments, wrong.world_size); }), wrong.message);
}

TEST(Rules, RefuseWhatIsOfAdasumWithoutIt) {
  EXPECT_THROW(with({"--reduce", "mean", "--adasum-on", "delta"}, 16), Error);
  EXPECT_THROW(with({"--adasum-on", "delta"}, 1), Error);
  EXPECT_THROW(with({"--reduce", "mean", "--adasum-diagnostics", "5"}, 16), Error);
  EXPECT_THROW(with({"--reduce", "mean", "--bucket-mb", "5"}, 16), Error);
  EXPECT_THROW(with({"--adasum-on", "delta", "--bucket-mb", "5"}, 16), Error);
}

/// What is said against a plan if `change` is made to options that go with one.
std::string said_with(const std::function<void(TrainerOptions&, Reduction&)>& change) {
  TrainerOptions options;
  options.plan = "plan.json";
  Reduction reduction{Reduce::adasum, 1};
  change(options, reduction);
  return refusal(Exit::usage, [&] { check_plan(options, reduction); });
}

TEST(PlanRules, NameWhatDoesNotGoWithAPlan) {
  EXPECT_EQ(said_with([](auto&, auto&) {}), "accepted");
  EXPECT_EQ(said_with([](auto&, auto& reduction) { reduction.reduce = Reduce::mean; }), "accepted");
  EXPECT_EQ(said_with([](auto&, auto& reduction) { reduction.reduce = Reduce::sum; }),
            "--plan: not with --reduce sum or none: wanted adasum or mean");
  EXPECT_EQ(said_with([](auto&, auto& reduction) { reduction.group_size = 8; }),
            "--plan: not with --device-number 8: wanted flat");
  EXPECT_EQ(said_with([](auto& options, auto&) { options.optimizer.name = "lars"; }),
            "--plan: not with --optimizer lars, which needs the length of whole tensors");
  EXPECT_EQ(said_with([](auto& options, auto&) { options.boost.less_bn.emplace(); }),
            "--plan: not with boost's less_bn, grad_freeze or dim_reduce");
  EXPECT_NE(said_with([](auto& options, auto&) { options.adasum_on = AdasumOn::delta; }), "accepted");
  EXPECT_NE(said_with([](auto&, auto& reduction) { reduction.per = AdasumPer::row; }), "accepted");
  EXPECT_NE(said_with([](auto& options, auto&) { options.bucket_mb = 1; }), "accepted");
  EXPECT_NE(said_with([](auto& options, auto&) { options.adasum_diagnostics = 1; }), "accepted");
  EXPECT_NE(said_with([](auto& options, auto&) { options.shard_optimizer = true; }), "accepted");
  EXPECT_NE(said_with([](auto& options, auto&) { options.precision = Precision::bfloat16; }), "accepted");
  EXPECT_NE(said_with([](auto& options, auto&) { options.device = DeviceChoice::automatic; }), "accepted");
}

// Nor do they name a reduction that nobody has asked for.
TEST(PlanRules, WantSeveralRanksThatTrainTogether) {
  const auto said = [](ParallelMode mode, std::optional<Reduce> reduce) {
    return said_with([&](auto& options, auto& reduction) {
      options.parallel_mode = mode;
      options.reduce = reduce;
      reduction.reduce = Reduce::none;
    });
  };
  EXPECT_EQ(said(ParallelMode::data_parallel, {}), "--plan: there is one rank: wanted several");
  EXPECT_EQ(said(ParallelMode::stand_alone, {}), "--plan: not with --parallel-mode stand_alone");
  EXPECT_EQ(said(ParallelMode::stand_alone, Reduce::none), "--plan: not with --parallel-mode stand_alone");
  EXPECT_EQ(said(ParallelMode::data_parallel, Reduce::none),
            "--plan: not with --reduce sum or none: wanted adasum or mean");
}

TEST(PlanRules, SayNothingWithoutAPlan) {
  EXPECT_EQ(said_with([](auto& options, auto& reduction) {
              options.plan.clear();
              reduction.reduce = Reduce::none;
            }),
            "accepted");
}

TEST(PlanRules, WantAPlanForHybridParallelAndNoneForAutoParallel) {
  const auto said = [](ParallelMode mode, const std::string& plan, const std::string& costs = "") {
    return said_with([&](auto& options, auto&) {
      options.parallel_mode = mode;
      options.plan = plan;
      options.link_costs = costs;
    });
  };
  EXPECT_EQ(said(ParallelMode::hybrid_parallel, "plan.json"), "accepted");
  EXPECT_EQ(said(ParallelMode::hybrid_parallel, ""),
            "--parallel-mode hybrid_parallel: wanted --plan FILE (adarun plan -o FILE makes one)");
  EXPECT_EQ(said(ParallelMode::auto_parallel, "", "costs.json"), "accepted");
  EXPECT_EQ(said(ParallelMode::auto_parallel, "plan.json"),
            "--plan: not with --parallel-mode auto_parallel, which makes one: wanted hybrid_parallel");
  EXPECT_EQ(said(ParallelMode::data_parallel, "", "costs.json"),
            "--costs: only with --parallel-mode auto_parallel");
}

TEST(PlanRules, HoldForAPlanThatIsMadeHereToo) {
  EXPECT_EQ(
      said_with([](auto& options, auto&) {
        options.parallel_mode = ParallelMode::auto_parallel;
        options.plan.clear();
        options.optimizer.name = "lars";
      }),
      "--parallel-mode auto_parallel: not with --optimizer lars, which needs the length of whole tensors");
}

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
  const auto refused = [](std::vector<std::string> more) {
    more.insert(more.begin(), {"--check-options", "--elastic"});
    return refusal(Exit::usage, more);
  };
  EXPECT_EQ(refused({}), "accepted");
  EXPECT_EQ(
      refused({"--adasum-on", "delta"}),
      "--adasum-on delta: not with --elastic (--min-ranks): what a rank alone has is lost when it ends");
  EXPECT_NE(refused({"--parallel-mode", "stand_alone", "--reduce", "none"}), "accepted");
  EXPECT_NE(refused({"--parallel-mode", "stand_alone"}), "accepted");
  EXPECT_NE(refused({"--communicator", "mpi"}), "accepted");
}

}  // namespace

}  // namespace adarun::trainer
