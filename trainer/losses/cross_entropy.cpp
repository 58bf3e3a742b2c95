// SPDX-License-Identifier: Apache-2.0
#include "trainer/losses/cross_entropy.h"

namespace adarun::trainer {

torch::Tensor cross_entropy(const torch::Tensor& scores, const torch::Tensor& labels, double smoothing) {
  const torch::Tensor logarithms = torch::log_softmax(scores, 1);
  const torch::Tensor plain = torch::nll_loss(logarithms, labels);
  if (smoothing == 0) return plain;
  const double on = 1 - smoothing;
  const double off = smoothing / static_cast<double>(scores.size(1) - 1);
  const torch::Tensor all = -logarithms.sum(1).mean();
  return (on - off) * plain + off * all;
}

}  // namespace adarun::trainer
