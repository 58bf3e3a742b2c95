// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

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
