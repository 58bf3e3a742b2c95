// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/file_descriptor.h"

namespace adarun::launcher::agent {

/// A way to the launcher.
struct Connection {
  base::FileDescriptor in;
  base::FileDescriptor out;
  base::FileDescriptor bringer;  ///< Told by its end that we have let go; none on the first connection.

  bool whole() const { return in && out; }
};

}  // namespace adarun::launcher::agent
