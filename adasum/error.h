// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>

namespace adasum {

/// The engine could not do its work: a peer is gone, sizes disagree, or the world is refused.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace adasum
