// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>

namespace adasum {

/// Thrown when the engine cannot work: a rank has ended, sizes disagree, or the world is not supported.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Ranks passed different lists of tensors; nothing has been changed.
class TensorListMismatch : public Error {
 public:
  using Error::Error;
};

/// The world does not fit the options; nothing has been changed.
class UnsupportedWorld : public Error {
 public:
  using Error::Error;
};

}  // namespace adasum
