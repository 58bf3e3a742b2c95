// SPDX-License-Identifier: Apache-2.0
#include "adasum/algorithms/pair_coefficients.h"

namespace adasum::algorithms {
namespace {

double coefficient(double dot, double squared_norm) {
  // Not "< smallest ? 1 : ...": a NaN must propagate, not become 1.
  return squared_norm < smallest_squared_norm ? 1.0 : 1.0 - dot / squared_norm / 2;
}

}  // namespace

Coefficients pair_coefficients(const Dots& dots) {
  return {coefficient(dots.ab, dots.aa), coefficient(dots.ab, dots.bb)};
}

}  // namespace adasum::algorithms
