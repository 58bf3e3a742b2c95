// SPDX-License-Identifier: Apache-2.0
#include "trainer/profile/weight_time.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "adasum/kernels/finite.h"
#include "adasum/kernels/rows.h"
#include "base/median.h"
#include "trainer/models/weights.h"
#include "trainer/optimizers/optimizer.h"

namespace adarun::trainer {
namespace {

double median_seconds(int passes, const std::function<void()>& work) {
  std::vector<double> all;
  for (int pass = 0; pass <= passes; ++pass) {
    const auto start = std::chrono::steady_clock::now();
    work();
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    if (pass > 0) all.push_back(taken.count());
  }
  return base::median(std::move(all));
}

OptimizedTensors tensors_of(const Model& model) {
  OptimizedTensors tensors;
  for (const TensorShape& tensor : model.parameters) tensors.push_back({.count = tensor.count()});
  return tensors;
}

}  // namespace

planner::WeightTime measure_weight_time(const Model& model, int passes) {
  Weights weights(model, 1);
  const std::span<float> values = weights.values();
  const std::span<float> gradients = weights.gradients();
  const auto optimizer = make_optimizer({}, tensors_of(model));
  const double update_s = median_seconds(passes, [&] {
    if (!adasum::kernels::is_finite<float>(gradients)) return;
    optimizer->step(values, gradients, {.rate = 1e-3F});
    std::ranges::fill(gradients, 0.0F);
  });
  const std::array<const float*, 2> rows{values.data(), gradients.data()};
  const std::array<float*, 1> result{gradients.data()};
  std::array<double, adasum::kernels::pairs_of(2)> dots{};
  const double combine_s = median_seconds(passes, [&] {
    adasum::kernels::gram<float>(rows, values.size(), dots);
    adasum::kernels::mix<float>(rows, std::array{0.5, 0.5}, values.size(), result);
  });
  const auto count = static_cast<double>(values.size());
  return {update_s / count, combine_s / count};
}

}  // namespace adarun::trainer
