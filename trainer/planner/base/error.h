// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>

namespace adarun::planner {

/// Thrown when a model, costs or a plan cannot be read or used. The message names the thing, what was found
/// and what was wanted.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// No plan keeps within the limit of memory.
class Infeasible : public Error {
 public:
  using Error::Error;
};

}  // namespace adarun::planner
