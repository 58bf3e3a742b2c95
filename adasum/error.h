// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>

namespace adasum {

/// The engine could not do its work: a peer is gone, sizes disagree, or the world is refused.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Ranks have been given different lists of tensors; nothing has been done.
class ListsDiffer : public Error {
 public:
  using Error::Error;
};

/// The world does not fit the options; nothing has been done.
class Misfit : public Error {
 public:
  using Error::Error;
};

}  // namespace adasum
