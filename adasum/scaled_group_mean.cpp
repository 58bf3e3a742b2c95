// SPDX-License-Identifier: Apache-2.0
#include "adasum/scaled_group_mean.h"

#include <algorithm>
#include <utility>

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
      engine_(*group_, {.group_size = group_->size()}),
      mean_(engine_, tensors_) {}

template <typename T>
std::optional<int> ScaledGroupMean<T>::run() {
  std::vector<double> squares;
  if (gain_ == GroupGain::spread) {
    for (const std::span<T> tensor : tensors_) squares.push_back(square_of(tensor));
  }
  if (const auto rank = mean_.run()) return rank;
  if (gain_ == GroupGain::spread) {
    group_->sum(std::span(squares));
    scale(squares);
  }
  return std::nullopt;
}

template <typename T>
void ScaledGroupMean<T>::scale(std::span<const double> squares) {
  const int members = group_->size();
  for (std::size_t t = 0; t < tensors_.size(); ++t) {
    const auto gain = static_cast<T>(spread_gain(squares[t] / members, square_of(tensors_[t]), members));
    for (T& value : tensors_[t]) value *= gain;
  }
}

template class ScaledGroupMean<float>;
template class ScaledGroupMean<double>;

}  // namespace adasum
