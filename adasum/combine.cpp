// SPDX-License-Identifier: Apache-2.0
#include "adasum/combine.h"

namespace adasum {
namespace {

double coefficient(double dot, double squared_norm) {
  // Not "< smallest ? 1 : ...": a NaN must spread, not become 1.
  return squared_norm < smallest_squared_norm ? 1.0 : 1.0 - dot / squared_norm / 2;
}

}  // namespace

Coefficients coefficients(const Dots& dots) {
  return {coefficient(dots.ab, dots.aa), coefficient(dots.ab, dots.bb)};
}

}  // namespace adasum
