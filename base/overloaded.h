// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace adarun::base {

/// Combines several function objects into one overload set, for std::visit.
template <typename... F>
struct Overloaded : F... {
  using F::operator()...;
};
template <typename... F>
Overloaded(F...) -> Overloaded<F...>;

}  // namespace adarun::base
