// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

/// AdaSum by its definition, serial, in double: the reference for the engine. All inputs are in one place,
/// one vector per rank, tensors one after the other.
namespace adasum::slow {

using Vector = std::vector<double>;

/// How a result is stored before it is used again: as the definition says, or as the engine does for float
/// data, where each mean, and the tree's result, is computed in double and stored as float.
enum class Stored { as_double, as_float };

inline double keep(double value, Stored stored) {
  return stored == Stored::as_float ? double{static_cast<float>(value)} : value;
}

/// Elements [begin, end) of a buffer.
struct Tensor {
  std::size_t begin = 0;
  std::size_t end = 0;
};

/// Adasum(a, b) on the elements of one tensor, into a.
inline void combine_tensor(Vector& a, const Vector& b, Tensor tensor) {
  double ab = 0;
  double aa = 0;
  double bb = 0;
  for (std::size_t i = tensor.begin; i < tensor.end; ++i) {
    ab += a[i] * b[i];
    aa += a[i] * a[i];
    bb += b[i] * b[i];
  }
  const double ca = aa == 0 ? 1 : 1 - ab / (2 * aa);
  const double cb = bb == 0 ? 1 : 1 - ab / (2 * bb);
  for (std::size_t i = tensor.begin; i < tensor.end; ++i) a[i] = ca * a[i] + cb * b[i];
}

/// AdaSum of `inputs` over a tree of neighbours; an odd one is passed up to the next level.
inline Vector tree(std::vector<Vector> inputs, const std::vector<std::int64_t>& counts,
                   Stored stored = Stored::as_double) {
  for (std::size_t distance = 1; distance < inputs.size(); distance *= 2) {
    for (std::size_t i = 0; i + distance < inputs.size(); i += 2 * distance) {
      std::size_t begin = 0;
      for (const std::int64_t count : counts) {
        const std::size_t end = begin + static_cast<std::size_t>(count);
        combine_tensor(inputs[i], inputs[i + distance], {begin, end});
        begin = end;
      }
    }
  }
  for (double& value : inputs.front()) value = keep(value, stored);
  return inputs.front();
}

/// The means of `group_size` neighbours each.
inline std::vector<Vector> group_means(const std::vector<Vector>& inputs, std::size_t group_size,
                                       Stored stored = Stored::as_double) {
  std::vector<Vector> means;
  for (std::size_t first = 0; first < inputs.size(); first += group_size) {
    Vector& mean = means.emplace_back(inputs.front().size());
    for (std::size_t i = 0; i < mean.size(); ++i) {
      for (std::size_t rank = first; rank < first + group_size; ++rank) mean[i] += inputs[rank][i];
      mean[i] = keep(mean[i] / static_cast<double>(group_size), stored);
    }
  }
  return means;
}

}  // namespace adasum::slow
