// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>

namespace adasum {

/// The engine could not do its work: a rank is gone, sizes disagree, or the world is refused.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Ranks have been given different lists of tensors; nothing has been changed.
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
