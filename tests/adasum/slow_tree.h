// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
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

/// Results computed once by an independent program, in double.
namespace adasum::golden {

/// g_r[i] = sin(0.1 (r+1)(i+1)) + 0.05 r
inline std::vector<double> input(int rank, std::size_t size) {
  std::vector<double> values(size);
  for (std::size_t i = 0; i < size; ++i) {
    values[i] = std::sin(0.1 * (rank + 1) * (static_cast<double>(i) + 1)) + 0.05 * rank;
  }
  return values;
}

/// The result by the world's size, one tensor of 5 elements.
inline const std::map<int, std::vector<double>> one_tensor = {
    {2,
     {0.18736521871581363, 0.3314444369200257, 0.4638939151835417, 0.5794795028492793, 0.6736379510807964}},
    {4, {0.3631325441297385, 0.5949369502259523, 0.7626771348263477, 0.845637598676199, 0.8348151638441319}},
    {8,
     {0.8566190883177198, 1.2229534068291739, 1.2374718706488426, 0.9323003997715236, 0.4701987013584878}}};

/// Five tensors in a world of 4.
inline const std::vector<std::int64_t> counts = {1, 7, 2, 0, 3};
inline const std::vector<double> five_tensors = {
    0.32086032410297,  0.666840580857134, 0.872103791568698, 0.995496403254907, 1.026773787958916,
    0.967163454488425, 0.828862554779319, 0.633052676536812, 1.342857172080549, 0.410594407570233,
    0.18398840346814,  0.011554787374801, 0.029515875263359};

}  // namespace adasum::golden
