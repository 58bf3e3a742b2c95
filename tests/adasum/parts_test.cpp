// SPDX-License-Identifier: Apache-2.0
// Engines whose ranks hold parts of tensors, in worlds of threads.
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "adasum/bucket_plan.h"
#include "adasum/communicators/thread_communicator.h"
#include "adasum/plan.h"
#include "adasum/types/error.h"
#include "tests/adasum/world_checks.h"

namespace adasum {
namespace {

TEST(PartsOfTensors, AreThoseOfTheWholeResult) {
  for (const int replicas : {1, 2, 3, 4, 8, 20}) {
    for (const int parts : {1, 2, 3})
      run_ranks(replicas * parts, [&](Communicator& world) { checks::parts_of_tensors(world, parts); });
  }
}

TEST(PartsOfTensors, AreThoseOfTheWholeResultInGroups) {
  for (const int group_size : {2, 4}) {
    for (const int parts : {2, 3})
      run_ranks(8 * parts, [&](Communicator& world) { checks::parts_of_tensors(world, parts, group_size); });
  }
}

TEST(PartsOfTensors, AreUnchangedWhereOneRankIsNotFinite) {
  for (const int replicas : {1, 2, 4}) {
    for (const int parts : {2, 3})
      run_ranks(replicas * parts, [&](Communicator& world) { checks::parts_not_finite(world, parts); });
  }
}

TEST(PartsOfTensors, TakeWholeSteps) {
  for (const int replicas : {1, 4}) {
    for (const int parts : {2, 3})
      run_ranks(replicas * parts, [&](Communicator& world) { checks::steps_of_parts(world, parts); });
  }
}

/// Two replicas (4, 3) and (4, -3), each split over two ranks.
class TwoHalves {
 public:
  explicit TwoHalves(Communicator& communicator)
      : world(communicator.split(communicator.rank() % 2)),
        parts(communicator.split(communicator.rank() / 2)) {
    const std::vector<double> values = {4, 3, 4, -3};
    element = {values[static_cast<std::size_t>(communicator.rank())]};
  }

  std::unique_ptr<Communicator> world;
  std::unique_ptr<Communicator> parts;
  std::vector<double> element;
};

TEST(PartsOfTensors, HaveTheCoefficientsOfTheWhole) {
  run_ranks(4, [](Communicator& communicator) {
    TwoHalves halves(communicator);
    Engine engine(*halves.world, {}, halves.parts.get());
    Plan<double>(engine, {std::span(halves.element)}).run();
    // The dot product is 7, the squares are 25: each replica times 1 - 7/50.
    const double wanted = halves.parts->rank() == 0 ? 2 * 4 * 0.86 : 0;
    EXPECT_NEAR(halves.element[0], wanted, 1e-15);
  });
  run_ranks(4, [](Communicator& communicator) {
    TwoHalves halves(communicator);
    Engine engine(*halves.world);
    Plan<double>(engine, {std::span(halves.element)}).run();
    EXPECT_EQ(halves.element[0], halves.parts->rank() == 0 ? 4 : 0) << "each half by itself is another thing";
  });
}

TEST(PartsOfTensors, MayBeExtreme) {
  run_ranks(4, [](Communicator& communicator) {
    for (const double factor : {1e-170, 1e+170}) {
      TwoHalves halves(communicator);
      halves.element[0] *= factor;
      Engine engine(*halves.world, {}, halves.parts.get());
      Plan<double>(engine, {std::span(halves.element)}).run();
      EXPECT_NEAR(halves.element[0] / factor, halves.parts->rank() == 0 ? 2 * 4 * 0.86 : 0, 1e-14);
    }
  });
}

TEST(PartsOfTensors, AreCombinedInBuckets) {
  run_ranks(4, [](Communicator& communicator) {
    TwoHalves halves(communicator);
    std::vector<double> other = halves.element;
    Engine engine(*halves.world, {}, halves.parts.get());
    BucketPlan<double> plan(engine, {std::span(halves.element), std::span(other)}, 1);
    plan.ready(1);
    plan.ready(0);
    EXPECT_EQ(plan.wait(), std::nullopt);
    EXPECT_NEAR(halves.element[0], halves.parts->rank() == 0 ? 2 * 4 * 0.86 : 0, 1e-15);
    EXPECT_EQ(other, halves.element);
  });
}

TEST(PartsOfTensors, AreDividedIntoTheSameBucketsOnAllRanks) {
  run_ranks(4, [](Communicator& communicator) {
    TwoHalves halves(communicator);
    // One rank of each replica holds next to nothing of tensors that the other one holds.
    const std::size_t size = halves.parts->rank() == 0 ? 1000 : 1;
    std::vector<std::vector<float>> tensors(5, std::vector<float>(size, 1));
    Engine engine(*halves.world, {}, halves.parts.get());
    BucketPlan<float> plan(engine, {tensors.begin(), tensors.end()}, 8000);
    for (std::size_t tensor = tensors.size(); tensor-- > 0;) plan.ready(tensor);
    EXPECT_EQ(plan.wait(), std::nullopt);
    for (const std::vector<float>& tensor : tensors) EXPECT_EQ(tensor, std::vector<float>(size, 1));
  });
}

TEST(PartsOfTensors, RefuseListsOfOtherLengthsOnAllRanks) {
  run_ranks(4, [](Communicator& communicator) {
    TwoHalves halves(communicator);
    std::vector<std::span<double>> tensors = {halves.element};
    if (halves.parts->rank() == 1) tensors.emplace_back();
    Engine engine(*halves.world, {}, halves.parts.get());
    EXPECT_THROW(Plan<double>(engine, tensors), TensorListMismatch);
  });
}

TEST(PartsOfTensors, RefuseAlgorithmsThatDoNotAddThemUp) {
  run_ranks(4, [](Communicator& communicator) {
    const TwoHalves halves(communicator);
    for (const Algorithm algorithm : {Algorithm::tree, Algorithm::shared})
      EXPECT_THROW(Engine(*halves.world, {.algorithm = algorithm}, halves.parts.get()), UnsupportedWorld);
  });
}

}  // namespace
}  // namespace adasum
