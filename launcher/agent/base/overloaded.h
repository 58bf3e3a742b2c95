// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace adarun::launcher::agent {

/// One function object out of several, for std::visit.
template <typename... F>
struct Overloaded : F... {
  using F::operator()...;
};
template <typename... F>
Overloaded(F...) -> Overloaded<F...>;

}  // namespace adarun::launcher::agent
