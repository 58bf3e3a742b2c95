// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "adasum/communicators/communicator.h"
#include "adasum/types/layout.h"
#include "trainer/optimizers/optimizer.h"
#include "trainer/options/options.h"

namespace adarun::trainer {

/// The rows of `components` that rank `rank` of `size` holds of a basis: ceil(components / size) rows
/// each, until none are left.
adasum::Range basis_rows(std::size_t components, int rank, int size);

/// A basis P (components x values) of the directions in which weights move, divided among the ranks.
struct SharedBasis {
  std::size_t components = 0;
  std::size_t values = 0;
  std::vector<float> rows;    ///< basis_rows() of this rank, one after the other.
  std::string identity = {};  ///< Of the whole basis: the same on all ranks, however many there are.
};

/// The optimizer of dim_reduce. With weights w, their gradient g (the mean of all ranks) and the loss l of
/// the batch (likewise), a step is
///
///   1  u = P g
///   2  from the second step on:  y = u - q;  c = y.s;
///        if c > 1e-20:  T = I - y s^T / c;  B = T^T B T + s s^T / c     (the update of BFGS)
///      q = u;  d = -B u
///   3  D = P^T d;  G = P^T u
///   4  for r = 1, rho:  accept if loss(w + r D) < l + sigma r (u.d);  then s = r d
///      none accepted:  r = 0;  q and B as before the step
///   5  M = gamma M + (g - G);  w = w + r D - alpha M
///
/// B starts as I; q, s and M as 0. The state is float, the arithmetic of k numbers double. Learning rate and
/// decay have no effect. From the reference, with its faults mended: u is of the unscaled mean gradient, a
/// rank's own part of D and G counts once, and losses are means over the ranks.
///
/// Collective over `communicator`, which must outlive it: it gathers k numbers, sums 2 x values floats, and
/// sums one number for the loss before the step and one per trial. Steps need OptimizerStep::loss.
std::unique_ptr<Optimizer> make_dim_reduce(const DimReduceOptions& options, SharedBasis basis,
                                           adasum::Communicator& communicator);

}  // namespace adarun::trainer
