// SPDX-License-Identifier: Apache-2.0
#include "adasum/scaled_group_mean.h"

#include <algorithm>
#include <utility>

#include "adasum/communicators/scalar_reduce.h"

namespace adasum {
namespace {

template <typename T>
double square_of(std::span<T> values) {
  double sum = 0;
  for (const T value : values) sum += static_cast<double>(value) * static_cast<double>(value);
  return sum;
}

}  // namespace

double spread_gain(double mean_square, double square_of_mean, int members) {
  if (!(square_of_mean > 0)) return 1;
  return std::clamp(mean_square / square_of_mean, 1.0, static_cast<double>(members));
}

template <typename T>
ScaledGroupMean<T>::ScaledGroupMean(Engine& engine, std::vector<std::span<T>> tensors)
    : gain_(engine.options().group_gain),
      tensors_(std::move(tensors)),
      group_(engine.world().split(engine.world().rank() / engine.options().group_size)),
      parts_(engine.topology().parts()),
      engine_(*group_, {.group_size = group_->size()}, parts_),
      mean_(engine_, tensors_) {}

template <typename T>
std::optional<int> ScaledGroupMean<T>::run() {
  if (gain_ == GroupGain::none) return mean_.run();
  std::vector<double> of_members = squares();
  if (const auto rank = mean_.run()) return rank;
  group_->sum(std::span(of_members));
  std::vector<double> of_mean = squares();
  if (parts_ != nullptr) {
    OrderedReduce over_parts(*parts_);
    over_parts.sum(of_members);
    over_parts.sum(of_mean);
  }
  scale(of_members, of_mean);
  return std::nullopt;
}

template <typename T>
std::vector<double> ScaledGroupMean<T>::squares() const {
  std::vector<double> all;
  for (const std::span<T> tensor : tensors_) all.push_back(square_of(tensor));
  return all;
}

template <typename T>
void ScaledGroupMean<T>::scale(std::span<const double> of_members, std::span<const double> of_mean) {
  const int members = group_->size();
  for (std::size_t t = 0; t < tensors_.size(); ++t) {
    const auto gain = static_cast<T>(spread_gain(of_members[t] / members, of_mean[t], members));
    for (T& value : tensors_[t]) value *= gain;
  }
}

template class ScaledGroupMean<float>;
template class ScaledGroupMean<double>;

}  // namespace adasum
