// SPDX-License-Identifier: Apache-2.0
#include "trainer/parallel/cross_entropy.h"

#include <torch/csrc/autograd/custom_function.h>

#include <span>
#include <utility>
#include <vector>

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

namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

/// x of all ranks: (ranks, ...).
torch::Tensor gathered(const torch::Tensor& x, adasum::Communicator& parts) {
  const torch::Tensor mine = x.contiguous();
  std::vector<std::int64_t> shape = mine.sizes().vec();
  shape.insert(shape.begin(), parts.size());
  torch::Tensor all = torch::empty(shape, mine.options());
  const auto bytes = [](const torch::Tensor& of) {
    return std::span(static_cast<std::byte*>(of.data_ptr()), static_cast<std::size_t>(of.nbytes()));
  };
  parts.all_gather(bytes(mine), bytes(all));
  return all;
}

/// The loss of each sample, and its gradient by the scores of this rank. With p the softmax, y the label, C
/// classes, on and off the targets of cross_entropy():
///   loss = -(on - off) log p_y - off sum_c log p_c
///   d loss / d s_c = (on - off) (p_c - [c = y]) + off (C p_c - 1)
std::pair<torch::Tensor, torch::Tensor> losses_and_gradients(const torch::Tensor& scores,
                                                             const torch::Tensor& labels, double smoothing,
                                                             const ScoreParts& of) {
  const torch::Tensor largest = gathered(scores.amax(1), of.parts).amax(0);
  const torch::Tensor shifted = scores - largest.unsqueeze(1);
  const torch::Tensor exponentials = shifted.exp();
  const torch::Tensor place = labels - of.classes.begin;
  const torch::Tensor is_here = place.ge(0).logical_and(place.lt(of.classes.size()));
  const torch::Tensor column = place.clamp(0, of.classes.size() - 1).unsqueeze(1);
  const torch::Tensor of_label = shifted.gather(1, column).squeeze(1).masked_fill(is_here.logical_not(), 0);
  const torch::Tensor sums = gathered(torch::stack({exponentials.sum(1), of_label, shifted.sum(1)}), of.parts)
                                 .to(torch::kDouble)
                                 .sum(0);

  const auto classes = static_cast<double>(of.all);
  const double off = smoothing == 0 ? 0 : smoothing / (classes - 1);
  const double on_less_off = 1 - smoothing - off;
  const torch::Tensor logarithm = sums[0].log();
  const torch::Tensor losses = -on_less_off * (sums[1] - logarithm) - off * (sums[2] - classes * logarithm);

  const torch::Tensor softmax = exponentials / sums[0].to(scores.scalar_type()).unsqueeze(1);
  torch::Tensor gradient = softmax * (on_less_off + off * classes) - off;
  gradient.scatter_add_(1, column, is_here.to(scores.scalar_type()).unsqueeze(1) * -on_less_off);
  return {losses, gradient};
}

class SplitCrossEntropy : public torch::autograd::Function<SplitCrossEntropy> {
 public:
  static torch::Tensor forward(AutogradContext* context, const torch::Tensor& scores,
                               const torch::Tensor& labels, double smoothing, const ScoreParts* of) {
    const auto [losses, gradient] = losses_and_gradients(scores, labels, smoothing, *of);
    context->save_for_backward({gradient / static_cast<double>(scores.size(0))});
    return losses.mean().to(scores.scalar_type());
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    return {context->get_saved_variables()[0] * gradients[0], torch::Tensor(), torch::Tensor(),
            torch::Tensor()};
  }
};

}  // namespace

torch::Tensor split_cross_entropy(const torch::Tensor& scores, const torch::Tensor& labels, double smoothing,
                                  const ScoreParts& of) {
  return SplitCrossEntropy::apply(scores, labels, smoothing, &of);
}

torch::Tensor best_class(const torch::Tensor& scores, const ScoreParts& of) {
  const auto [largest, place] = scores.max(1);
  const torch::Tensor of_ranks = gathered(largest, of.parts);
  const torch::Tensor classes = gathered(place + of.classes.begin, of.parts);
  torch::Tensor best = classes[0];
  torch::Tensor score = of_ranks[0];
  for (std::int64_t rank = 1; rank < of_ranks.size(0); ++rank) {
    const torch::Tensor better = of_ranks[rank] > score;
    best = torch::where(better, classes[rank], best);
    score = torch::where(better, of_ranks[rank], score);
  }
  return best;
}

}  // namespace adarun::trainer
