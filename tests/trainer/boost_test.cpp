// SPDX-License-Identifier: Apache-2.0
// less_bn, grad_freeze and dim_reduce in models, learners and whole runs.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "adasum/communicators/thread_communicator.h"
#include "tests/scratch_folder.h"
#include "tests/trainer/refusal.h"
#include "trainer/base/collective.h"
#include "trainer/boost/dim_reduce.h"
#include "trainer/models/models.h"
#include "trainer/passes/passes.h"
#include "trainer/run/make_learner.h"
#include "trainer/run/run.h"

namespace adarun::trainer {
namespace {

using Values = std::vector<float>;

Values copied(std::span<const float> values) {
  return {values.begin(), values.end()};
}

std::int64_t normalizations(const Model& model) {
  return std::ranges::count(model.parameters, TensorRole::normalization, &TensorShape::role) / 2;
}

TEST(LessBn, LeavesTheNormalizationsOfTheReference) {
  struct Case {
    const char* name;
    int before;
    int after;
  };
  for (const Case& of : {Case{"resnet50", 53, 17}, Case{"resnet18", 20, 9}, Case{"resnet20", 21, 10},
                         Case{"lenet5", 0, 0}, Case{"mlp", 0, 0}}) {
    const ModelShape shape{3, 64, 10};
    EXPECT_EQ(normalizations(model_named(of.name, shape)), of.before) << of.name;
    const Model fewer = model_named(of.name, shape, {true, false});
    EXPECT_EQ(normalizations(fewer), of.after) << of.name;
    EXPECT_EQ(fewer.buffers.size(), 2U * static_cast<std::size_t>(of.after)) << of.name;
    for (const TensorShape& tensor : fewer.parameters)
      EXPECT_FALSE(tensor.name.ends_with(".conv.bias")) << tensor.name;
  }
}

TEST(LessBn, KeepsTheLastNormalizationOfEachBlockAndThatOfTheStem) {
  std::vector<std::string> kept;
  for (const TensorShape& tensor : model_named("resnet20", {3, 32, 10}, {true, false}).parameters) {
    if (tensor.name.ends_with(".bn.weight")) kept.push_back(tensor.name);
  }
  EXPECT_EQ(kept.front(), "stem.bn.weight");
  for (std::size_t i = 1; i < kept.size(); ++i) EXPECT_TRUE(kept[i].ends_with(".2.bn.weight")) << kept[i];
}

TEST(LessBn, MakesARemovedNormalizationTheIdentity) {
  const torch::Tensor x = torch::randn({2, 3, 4, 4});
  Layers layers({}, {}, true, {.fewer_batch_norms = true});
  EXPECT_TRUE(layers.batch_norm("bn", x, {Removable::yes}).values.is_same(x));
}

TEST(LessBn, HasScoresOfLengthOneTimesAMultiplier) {
  // Rows of length 5, and one that is shorter than 0.01: divided by 0.01.
  const torch::Tensor x = torch::tensor({{3.0F, 4.0F}, {0.003F, 0.004F}});
  const std::vector<torch::Tensor> tensors = {torch::tensor({{1.0F, 0.0F}, {0.0F, 2.0F}, {6.0F, 8.0F}}),
                                              torch::tensor({2.0F})};
  Layers layers(tensors, {}, true, {.normalized_scores = true});
  const torch::Tensor wanted = torch::tensor({{1.2F, 1.6F, 2.0F}, {0.6F, 0.8F, 1.0F}});
  EXPECT_TRUE(torch::allclose(layers.scores("fc", x, 3), wanted)) << layers.scores("fc", x, 3);
}

TEST(LessBn, HasAWeightAndOneMultiplierInPlaceOfABias) {
  const Model model = model_named("lenet5", {1, 32, 10}, {true, true});
  const std::size_t last = model.parameters.size() - 1;
  EXPECT_EQ(model.parameters[last].name, "fc3.multiplier");
  EXPECT_EQ(model.parameters[last].shape, (std::vector<std::int64_t>{1}));
  EXPECT_EQ(model.parameters[last].initial, constant(1));
  EXPECT_TRUE(model.parameters[last].decays());
  EXPECT_EQ(model.parameters[last - 1].name, "fc3.weight");
  EXPECT_EQ(model.parameters.size(), 10U);
}

TrainerOptions with_less_bn(float decay) {
  TrainerOptions options;
  options.boost.less_bn.emplace();
  options.optimizer.weight_decay = decay;
  return options;
}

std::vector<std::string> centralized(const std::string& name, const TrainerOptions& options) {
  const Model model = model_named(name, {3, 64, 10}, layer_options(options.boost));
  const OptimizedTensors tensors = optimized_tensors(model, options);
  std::vector<std::string> names;
  for (std::size_t t = 0; t < tensors.size(); ++t) {
    if (tensors[t].rows > 0) names.push_back(model.parameters[t].name);
  }
  return names;
}

TEST(LessBn, CentralizesGradientsOfWeightsWithASecondDimensionOfSixteens) {
  const Model lenet = model_named("lenet5", {1, 32, 10}, {true, true});
  const OptimizedTensors tensors = optimized_tensors(lenet, with_less_bn(1e-4F));
  for (std::size_t t = 0; t < tensors.size(); ++t)
    EXPECT_EQ(tensors[t].rows, lenet.parameters[t].name == "fc1.weight" ? 120 : 0)
        << lenet.parameters[t].name;
  EXPECT_EQ(centralized("resnet50", with_less_bn(1e-4F)).size(), 52U) << "all convolutions but the stem";
  EXPECT_TRUE(centralized("resnet50", with_less_bn(0)).empty());
  TrainerOptions off = with_less_bn(1e-4F);
  off.boost.less_bn->centralize_gradients = false;
  EXPECT_TRUE(centralized("resnet50", off).empty());
}

TEST(GradFreeze, HasTheGroupsOfTheReference) {
  const Model model = model_named("resnet50", {3, 64, 1001});
  const FreezeGroups groups = freeze_groups_of(model, {});
  EXPECT_EQ(groups.chunks, 54U);
  std::vector<std::size_t> sizes;
  for (const std::size_t first : groups.first_tensor) sizes.push_back(model.parameters.size() - first);
  EXPECT_EQ(sizes, (std::vector<std::size_t>{161, 146, 131, 116, 101, 86, 71, 56, 41, 26}));
  EXPECT_EQ(freeze_groups_of(model_named("lenet5", {1, 32, 10}), {.groups = 3}).first_tensor,
            (std::vector<std::size_t>{0, 4, 8}));
}

/// A batch of four random pictures.
Batch small_batch() {
  Batch batch;
  Random random(7);
  batch.channels = 1;
  batch.side = 32;
  batch.images.resize(std::size_t{4} * 32 * 32);
  for (float& value : batch.images) value = static_cast<float>(random.uniform(-1, 1));
  batch.labels = {3, 1, 4, 1};
  return batch;
}

TrainerOptions frozen_options(FreezeOrder order = FreezeOrder::periodic) {
  TrainerOptions options;
  options.boost.grad_freeze = {.groups = 3, .order = order, .full_share = 0.5, .total_steps = 100};
  options.optimizer.weight_decay = 0.01F;
  return options;
}

/// LeNet-5 trained by a learner with the options of a test.
class Lenet : public testing::Test {
 protected:
  void step(Learner& learner) {
    const double scale = learner.begin_step();
    add_gradients(model, weights, batch, {}, scale);
    ASSERT_EQ(learner.end_step(0.1F, adasum::StepPosition::inside), std::nullopt);
  }

  Model model = model_named("lenet5", {1, 32, 10});
  Weights weights{model, 1};
  Batch batch = small_batch();
  SingleProcessCommunicator alone;
  ReduceContext context{alone, {}};
};

TEST_F(Lenet, LeavesFrozenTensorsAsTheyAreToTheBit) {
  Learner learner = make_learner(model, weights, context, frozen_options());
  const std::size_t group_1 = weights.values().size() - weights.values_from(4).values.size();
  const std::size_t group_2 = weights.values().size() - weights.values_from(8).values.size();
  // Two rounds train all tensors, one those of group 1, one those of group 2.
  for (const std::size_t first : {std::size_t{0}, std::size_t{0}, group_1, group_2, std::size_t{0}}) {
    const Values before = copied(weights.values());
    step(learner);
    const Values after = copied(weights.values());
    const auto begin = static_cast<std::ptrdiff_t>(first);
    EXPECT_TRUE(std::equal(before.begin(), before.begin() + begin, after.begin()));
    EXPECT_FALSE(std::equal(before.begin() + begin, before.end(), after.begin() + begin));
    EXPECT_NE(before[first], after[first]);
  }
}

TEST_F(Lenet, EndsTheBackwardPassAtTheFirstTensorOfItsGroup) {
  Learner learner = make_learner(model, weights, context, frozen_options());
  for (const std::size_t first : {0U, 0U, 4U, 8U, 0U}) {
    learner.begin_step();
    const std::span<float> frozen =
        weights.gradients().first(weights.values().size() - weights.values_from(first).values.size());
    std::ranges::fill(frozen, 7.0F);
    add_gradients(model, weights, batch, {});
    EXPECT_TRUE(std::ranges::all_of(frozen, [](float value) { return value == 7; })) << first;
    for (std::size_t t = 0; t < weights.tensors().size(); ++t)
      EXPECT_EQ(weights.tensors()[t].requires_grad(), t >= first) << t;
    EXPECT_GT(weights.tensors()[first].grad().abs().max().item<float>(), 0);
    ASSERT_EQ(learner.end_step(0.1F, adasum::StepPosition::inside), std::nullopt);
  }
}

/// Each group has an optimizer of its own for its tensors, which moves in its rounds only.
TEST_F(Lenet, StepsEachGroupByItsOwnOptimizer) {
  TrainerOptions options = frozen_options();
  options.optimizer.name = "adam";  // whose steps depend on how many it has taken
  Learner learner = make_learner(model, weights, context, options);
  Weights replayed(model, 1);
  const OptimizedTensors tensors = optimized_tensors(model, options);
  struct Group {
    std::size_t first;
    std::unique_ptr<Optimizer> optimizer;
    std::int64_t taken = 0;
  };
  std::vector<Group> groups;
  for (const std::size_t first : {0U, 4U, 8U}) {
    groups.push_back(
        {first, make_optimizer(options.optimizer,
                               {tensors.begin() + static_cast<std::ptrdiff_t>(first), tensors.end()})});
  }
  for (const std::size_t group : {0, 0, 1, 2, 0, 0, 1}) {
    step(learner);
    Group& of = groups[group];
    std::ranges::fill(replayed.gradients(), 0.0F);
    add_gradients(model, replayed, batch, {});
    of.optimizer->step(replayed.values_from(of.first).values, replayed.gradients_from(of.first).values,
                       {0.1F, ++of.taken});
    ASSERT_EQ(copied(weights.values()), copied(replayed.values())) << group;
  }
  EXPECT_EQ(learner.counts(), (LearnerCounts{7, {4, 2, 1}}));
}

TEST_F(Lenet, TakesAllLocalStepsOfARoundInOneGroup) {
  TrainerOptions options = frozen_options();
  options.local_steps = 2;
  Learner learner = make_learner(model, weights, context, options);
  for (int i = 0; i < 4; ++i) step(learner);
  const Values before = copied(weights.values());
  step(learner);
  EXPECT_EQ(copied(weights.values()), before) << "the first local step of group 1 only adds";
  step(learner);
  EXPECT_EQ(learner.counts(), (LearnerCounts{3, {2, 1, 0}}));
  EXPECT_EQ(weights.values()[0], before[0]);
  EXPECT_NE(weights.values().back(), before.back());
}

TEST_F(Lenet, ContinuesWithOneLossScaleInAllGroups) {
  TrainerOptions options = frozen_options();
  options.loss_scale = {1024, true};
  Learner learner = make_learner(model, weights, context, options);
  for (int i = 0; i < 2; ++i) step(learner);
  learner.begin_step();
  std::ranges::fill(weights.gradients(), std::numeric_limits<float>::infinity());
  EXPECT_EQ(learner.end_step(0.1F, adasum::StepPosition::inside), 0);
  EXPECT_TRUE(learner.drop());
  EXPECT_EQ(learner.begin_step(), 512) << "group 2, after the round of group 1 was skipped";
  EXPECT_EQ(learner.counts(), (LearnerCounts{3, {2, 0, 0}}));
}

TEST_F(Lenet, StepsInTheSubspaceByTheMeanOfItsLocalSteps) {
  add_gradients(model, weights, batch, {});
  SharedBasis basis{1, weights.values().size(), copied(weights.gradients())};
  const double length = std::sqrt(std::inner_product(basis.rows.begin(), basis.rows.end(), basis.rows.begin(),
                                                     0.0, std::plus(), std::multiplies<double>()));
  for (float& value : basis.rows) value = static_cast<float>(value / length);
  const auto after = [&](int local_steps) {
    Weights stepped(model, 1);
    Learner learner{
        stepped, make_dim_reduce({.components = 1}, basis, alone), context, {.local_steps = local_steps}};
    for (int i = 0; i < local_steps; ++i) {
      learner.begin_step();
      const double loss = add_gradients(model, stepped, batch, {});
      EXPECT_EQ(learner.end_step(0, adasum::StepPosition::inside,
                                 {loss, [&] { return loss_of(model, stepped, batch, {}); }}),
                std::nullopt);
    }
    return copied(stepped.values());
  };
  // A sum of two or four equal gradients, divided by their number, has their bits.
  EXPECT_NE(after(1), copied(weights.values()));
  EXPECT_EQ(after(2), after(1));
  EXPECT_EQ(after(4), after(1));
}

TEST(GradFreeze, CombinesTheTensorsOfItsGroupByAdasumOfGradientsAndOfDeltas) {
  for (const AdasumOn on : {AdasumOn::gradient, AdasumOn::delta}) {
    adasum::run_ranks(4, [&](adasum::Communicator& communicator) {
      const Model model = model_named("lenet5", {1, 32, 10});
      const ReduceContext context(communicator, {Reduce::adasum, 1});
      const Weights::Allocate shared = [&context](std::size_t count) { return context.allocate(count); };
      const bool delta = on == AdasumOn::delta;
      Weights weights(model, 1, delta ? shared : Weights::Allocate(), delta ? Weights::Allocate() : shared);
      TrainerOptions options = frozen_options();
      options.adasum_on = on;
      Learner learner = make_learner(model, weights, context, options);
      Batch batch = small_batch();
      std::ranges::fill(batch.labels, communicator.rank());
      for (int round = 0; round < 4; ++round) {
        const Values before = copied(weights.values());
        learner.begin_step();
        add_gradients(model, weights, batch, {});
        ASSERT_EQ(learner.end_step(0.01F, adasum::StepPosition::inside), std::nullopt);
        const bool changes_first = weights.values()[0] != before[0];
        EXPECT_EQ(changes_first, round < 2) << round;
        EXPECT_NE(weights.values().back(), before.back());
        Values first_rank = copied(weights.values());
        communicator.broadcast(std::as_writable_bytes(std::span(first_rank)), 0);
        EXPECT_EQ(copied(weights.values()), first_rank) << round;
      }
    });
  }
}

std::vector<std::string> boost_log(const TrainerOptions& options, const Reduction& reduction = {},
                                   int ranks = 1) {
  std::vector<std::string> lines;
  adasum::run_ranks(ranks, [&](adasum::Communicator& communicator) {
    run(options, reduction, communicator, [&](const std::string& line) {
      if (communicator.rank() == 0) lines.push_back(line);
    });
  });
  return lines;
}

std::string checksum_at_end(const TrainerOptions& options, const Reduction& reduction = {}, int ranks = 1) {
  for (const std::string& line : boost_log(options, reduction, ranks)) {
    if (line.starts_with("weights: ") && line.ends_with(" at end")) return line;
  }
  return "none";
}

/// Expects the bits of a run without interruption from one that stops after `first` of 24 steps.
void expect_same_bits_when_resumed(TrainerOptions options, int first, const Reduction& reduction = {},
                                   int ranks = 1) {
  const test::ScratchFolder folder;
  options.batch_size = 8;
  options.max_steps = 24;
  const std::string wanted = checksum_at_end(options, reduction, ranks);
  EXPECT_NE(wanted, "none");
  options.checkpoint_dir = folder.path() / "kept";
  options.checkpoint_steps = first;
  options.max_steps = first;
  checksum_at_end(options, reduction, ranks);
  options.resume = true;
  options.max_steps = 24;
  EXPECT_EQ(checksum_at_end(options, reduction, ranks), wanted);
}

TEST(Boost, ResumesToTheBitWithLessBn) {
  TrainerOptions options = with_less_bn(1e-4F);
  expect_same_bits_when_resumed(options, 10);
}

TEST(Boost, ResumesToTheBitWithGradFreeze) {
  for (const FreezeOrder order : {FreezeOrder::periodic, FreezeOrder::drawn}) {
    TrainerOptions options = frozen_options(order);
    options.optimizer.name = "adam";
    options.optimizer.learning_rate = 1e-3F;
    expect_same_bits_when_resumed(options, 10);
  }
  TrainerOptions deltas = frozen_options(FreezeOrder::drawn);
  deltas.adasum_on = AdasumOn::delta;
  deltas.local_steps = 2;
  deltas.loss_scale = {4096, true};
  expect_same_bits_when_resumed(deltas, 10, {Reduce::adasum, 1}, 2);
}

/// Options of dim_reduce with a basis of checkpoints of a training in `folder`.
TrainerOptions dim_reduce_options(const std::filesystem::path& folder) {
  TrainerOptions options;
  options.batch_size = 8;
  options.checkpoint_dir = folder;
  options.checkpoint_steps = 2;
  options.checkpoint_keep = 12;
  options.max_steps = 24;
  boost_log(options);
  TrainerOptions wanted;
  wanted.boost.dim_reduce.emplace();
  wanted.boost.dim_reduce->components = 8;
  wanted.boost.dim_reduce->checkpoint_dir = folder;
  return wanted;
}

TEST(Boost, ResumesToTheBitWithDimReduce) {
  const test::ScratchFolder folder;
  TrainerOptions options = dim_reduce_options(folder.path());
  expect_same_bits_when_resumed(options, 10);
  expect_same_bits_when_resumed(options, 10, {Reduce::mean, 1}, 3);
}

TEST(Boost, LearnsInTheSubspace) {
  const test::ScratchFolder folder;
  const TrainerOptions options = dim_reduce_options(folder.path());
  const auto loss = [](const std::vector<std::string>& lines) {
    const auto last = std::find_if(lines.rbegin(), lines.rend(),
                                   [](const std::string& line) { return line.starts_with("epoch: "); });
    return std::stod(last->substr(last->rfind(' ')));
  };
  TrainerOptions brief = options;
  brief.max_steps = 40;
  brief.log_every = 40;
  const std::vector<std::string> lines = boost_log(brief);
  EXPECT_LT(loss(lines), 2.0);
}

TEST(Boost, RefusesACheckpointOfOtherSwitchesByName) {
  const test::ScratchFolder folder;
  TrainerOptions plain;
  plain.batch_size = 8;
  plain.max_steps = 2;
  plain.checkpoint_dir = folder.path() / "kept";
  plain.checkpoint_steps = 2;
  boost_log(plain);
  const auto refused = [&](const BoostOptions& boost) {
    TrainerOptions other = plain;
    other.boost = boost;
    other.resume = true;
    std::string message = testing_data::refusal([&] { boost_log(other); });
    return message.substr(message.find(": ") + 2);
  };
  BoostOptions less_bn;
  less_bn.less_bn.emplace();
  EXPECT_EQ(refused(less_bn),
            "a checkpoint of another job: its less_bn is none, this one's is on, normalized scores");
  BoostOptions freeze;
  freeze.grad_freeze = {.groups = 3};
  EXPECT_EQ(
      refused(freeze),
      "a checkpoint of another job: its grad_freeze is none, this one's is 3 groups drawn, freeze_p 0.7, "
      "total_steps 65536");
}

TEST(Boost, RefusesABasisThatDoesNotFit) {
  const test::ScratchFolder folder;
  TrainerOptions options = dim_reduce_options(folder.path());
  options.max_steps = 1;  // Enough to make a basis.
  const auto refused = [&](int ranks = 1) {
    return testing_data::refusal([&] {
      boost_log(options, {ranks > 1 ? Reduce::mean : Reduce::none, 1}, ranks);
    });
  };
  options.boost.dim_reduce->components = 12;
  EXPECT_EQ(refused(),
            "dim_reduce: the samples differ in 11 directions only: wanted n_components 12 (at least one "
            "sample more "
            "than that)");
  options.boost.dim_reduce->components = 13;
  EXPECT_EQ(refused(2), "dim_reduce: The samples: 12 is less than: n_component 13.");
  options.boost.dim_reduce->components = 8;
  boost_log(options);
  const std::string made = (folder.path() / "pca_mat_temp.npy").string();
  options.boost.dim_reduce->basis_file = made;
  options.boost.dim_reduce->components = 7;
  EXPECT_EQ(refused(2),
            made + ": 8 x 61706: wanted 7 (n_components) x 61706 (trainable values of the model)");
  options.boost.dim_reduce = DimReduceOptions{.basis_file = (folder.path() / "none.npy").string()};
  EXPECT_EQ(refused(), (folder.path() / "none.npy").string() + ": no such file (dim_reduce.pca_mat_path)");
  options.boost.dim_reduce = DimReduceOptions{.checkpoint_dir = (folder.path() / "none").string()};
  EXPECT_EQ(refused(), (folder.path() / "none").string() + ": cannot be read: No such file or directory");
  options.boost.dim_reduce = DimReduceOptions{.checkpoint_dir = folder.path().string()};
  options.model = "mlp";
  EXPECT_NE(refused().find("a checkpoint of another job: its model is lenet5, this one's is mlp"),
            std::string::npos);
}

}  // namespace
}  // namespace adarun::trainer
