// SPDX-License-Identifier: Apache-2.0
// Runs of all ranks compared with their replay in one process. Part of the program of mpi_test.cpp.
#include "tests/trainer/replay.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <ostream>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tests/adasum/mpi_main.h"
#include "trainer/models/models.h"
#include "trainer/run/make_learner.h"
#include "trainer/run/train.h"

namespace adarun::trainer {
namespace {

using adasum::world;
using replay::Stored;
using replay::Vector;

constexpr int steps = 20;
constexpr double bound = 1e-4;  // allowed error of each weight, after each of the 20 steps

/// Keeps the weights after each step, and the gradients that the optimizer got.
class Recorder : public Callback {
 public:
  explicit Recorder(Weights& source) : source_(source) {}
  void step_end(const Progress& /*progress*/) override {
    weights.emplace_back(source_.values().begin(), source_.values().end());
    gradients.emplace_back(source_.gradients().begin(), source_.gradients().end());
  }
  std::vector<std::vector<float>> weights;
  std::vector<std::vector<float>> gradients;

 private:
  Weights& source_;
};

/// The biggest difference of two elements.
double worst(std::span<const float> got, std::span<const double> wanted) {
  double worst = 0;
  for (std::size_t i = 0; i < wanted.size(); ++i)
    worst = std::max(worst, std::abs(double{got[i]} - wanted[i]));
  return worst;
}

/// How many elements are not the same float.
std::size_t differing(std::span<const float> got, std::span<const double> wanted) {
  std::size_t result = 0;
  for (std::size_t i = 0; i < wanted.size(); ++i) result += double{got[i]} == wanted[i] ? 0 : 1;
  return result;
}

/// The biggest difference of two elements, relative to the biggest wanted element of its tensor.
double worst_relative(std::span<const float> got, std::span<const double> wanted,
                      std::span<const std::int64_t> counts) {
  double result = 0;
  std::size_t begin = 0;
  for (const std::int64_t signed_count : counts) {
    const auto count = static_cast<std::size_t>(signed_count);
    const auto tensor = wanted.subspan(begin, count);
    double biggest = 0;
    for (const double value : tensor) biggest = std::max(biggest, std::abs(value));
    const double off = worst(got.subspan(begin, count), tensor);
    if (off > 0) result = std::max(result, off / biggest);
    begin += count;
  }
  return result;
}

struct Way {
  std::string name;
  AdasumOn adasum_on = AdasumOn::gradient;
  int groups = 0;  ///< 0: flat.
};

void PrintTo(const Way& way, std::ostream* out) {
  *out << way.name;
}

/// Rank 0 holds a file's lock while it lives, for which the others wait asleep: at MPI they would spin, on
/// the processors that rank 0 needs. All ranks make one at once.
class HeldByFirstRank {
 public:
  HeldByFirstRank() {
    std::array<char, 64> name{"/tmp/adarun_replay_XXXXXX"};
    if (world->rank() == 0) {
      file_ = mkstemp(name.data());
      if (file_ < 0 || flock(file_, LOCK_EX) != 0) ADD_FAILURE() << name.data() << " cannot be locked";
    }
    world->broadcast(std::as_writable_bytes(std::span(name)), 0);
    if (world->rank() != 0) file_ = open(name.data(), O_RDONLY | O_CLOEXEC);
    std::array<double, 1> nothing{};
    world->sum(std::span<double>(nothing));
    if (world->rank() == 0) unlink(name.data());
  }
  ~HeldByFirstRank() {
    if (world->rank() != 0) flock(file_, LOCK_SH);
    close(file_);
  }
  HeldByFirstRank(const HeldByFirstRank&) = delete;
  HeldByFirstRank& operator=(const HeldByFirstRank&) = delete;

 private:
  int file_ = -1;
};

/// One way to combine. All ranks run it; rank 0 replays it.
class Replay : public testing::TestWithParam<Way> {
 protected:
  Replay() {
    options_.adasum_on = GetParam().adasum_on;
    options_.max_steps = steps;
  }

  void run() {
    Weights weights(model_, options_.seed);
    const ReduceContext context(*world, {Reduce::adasum, ranks().group_size});
    Recorder recorder(weights);
    Learner learner = make_learner(model_, weights, context, options_);
    train({model_, weights, learner, *dataset_, *world, {&recorder}}, options_);
    weights_ = std::move(recorder.weights);
    gradients_ = std::move(recorder.gradients);
  }

  replay::World slow(Stored stored) const { return {model_, *dataset_, options_, ranks(), stored}; }

  TrainerOptions options_;
  std::vector<std::vector<float>> weights_;
  std::vector<std::vector<float>> gradients_;

 private:
  HeldByFirstRank replay_;

  replay::Ranks ranks() const {
    return {world->size(), GetParam().groups == 0 ? 1 : world->size() / GetParam().groups};
  }

  Model model_ = model_named("lenet5", {1, 32, 10});
  std::unique_ptr<Dataset> dataset_ = open_dataset("digits", "", DatasetPart::train, 1);
};

// At the default rate a replay that rounds in other places than the run exceeds 1e-4. ReLU and max pooling
// make choices: weights that differ in their last bit choose differently somewhere (first at about step 4).
// This changes a gradient by 1e-5 to 1e-2, and so more choices: two replays that differ by the last bit of
// ONE weight are 1e-3 apart after 20 steps, with 3,000 choices changed. So this replay rounds where the run
// does, and gets the run's bits. Its dot products are added in another order, with errors of 1e-14, or about
// 1e-9 where products of more than four vectors are added in float. Where that decides between two floats
// (one element in a million, or in a thousand, of what is combined) the replay continues with the run's
// value.
TEST_P(Replay, EqualsTwentySteps) {
  run();
  if (world->rank() != 0) return;
  replay::World replay = slow(Stored::as_float);
  std::size_t taken_over = 0;
  for (std::size_t i = 0; i < weights_.size(); ++i) {
    const Vector& wanted = replay.next();
    const std::size_t others = differing(weights_[i], wanted);
    ASSERT_LT(worst(weights_[i], wanted), bound) << "step " << i + 1;
    ASSERT_LE(others, wanted.size() / 100) << "step " << i + 1 << ": more weights than could be close calls";
    replay.continue_from(weights_[i]);
    taken_over += others;
  }
  std::printf("all weights of %d steps have the replay's bits, but for %zu\n", steps, taken_over);
}

// At a smaller rate the choices are nearly the same, and the plain definition is accurate enough: its error
// is 1e-7.
TEST_P(Replay, EqualsTwentyStepsInDoubleAtASmallRate) {
  options_.optimizer.learning_rate = 0.001F;
  run();
  if (world->rank() != 0) return;
  replay::World replay = slow(Stored::as_double);
  double off = 0;
  for (std::size_t i = 0; i < weights_.size(); ++i) {
    off = worst(weights_[i], replay.next());
    ASSERT_LT(off, bound) << "step " << i + 1;
  }
  std::printf("after %d steps the worst weight is off by %g\n", steps, off);
}

// Started again from the run's own weights, each step must match within its rounding: no error can be hidden
// by growth, and no bound is wider than a few bits.
TEST_P(Replay, EqualsEachStepInDoubleFromTheRunsOwnWeights) {
  run();
  if (world->rank() != 0) return;
  // The run rounds each weight below 1 by up to 3e-8, and each change below 0.1 by a tenth of that, ten times
  // over with momentum 0.9. On deltas each rank's own step is rounded in this way before they are combined.
  const bool on_deltas = options_.adasum_on == AdasumOn::delta;
  const double rounding = on_deltas ? 3e-8 * (2 + world->size()) : 6e-8;
  replay::World replay = slow(Stored::as_double);
  for (std::size_t i = 0; i < weights_.size(); ++i) {
    if (i > 0) replay.continue_from(weights_[i - 1]);
    const Vector& wanted = replay.next();
    ASSERT_LT(worst(weights_[i], wanted), rounding) << "step " << i + 1;
    if (on_deltas) continue;
    // Each of up to four levels rounds by 6e-8 a vector that may be longer than the result.
    ASSERT_LT(worst_relative(gradients_[i], replay.combined(), replay.counts()), 1e-6) << "step " << i + 1;
  }
}

INSTANTIATE_TEST_SUITE_P(OfAdasum, Replay,
                         testing::Values(Way{"BetweenGroups", AdasumOn::gradient, 2}, Way{"Flat"},
                                         Way{"OnDeltas", AdasumOn::delta},
                                         Way{"OnDeltasBetweenGroups", AdasumOn::delta, 2}),
                         [](const auto& way) { return way.param.name; });

}  // namespace
}  // namespace adarun::trainer
