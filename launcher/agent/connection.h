// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "launcher/posix/file_descriptor.h"

namespace adarun::agent {

/// A way to the launcher.
struct Connection {
  posix::FileDescriptor in;
  posix::FileDescriptor out;
  posix::FileDescriptor bringer;  ///< Told by its end that we have let go; none on the first connection.

  bool whole() const { return in && out; }
};

}  // namespace adarun::agent
