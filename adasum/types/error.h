// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>

namespace adasum {

/// Thrown when the engine cannot work: a rank has ended, sizes disagree, or the world is not supported.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Another rank has ended, cannot be reached, or did not do its part in time. What was to be written is
/// undefined.
class PeerLost : public Error {
 public:
  using Error::Error;
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
