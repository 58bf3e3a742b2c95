// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/file_descriptor.h"

namespace adarun::launcher::agent {

/// One connection to the launcher.
struct Connection {
  base::FileDescriptor in;
  base::FileDescriptor out;
  base::FileDescriptor bringer;  ///< Socket of the process that passed `in` and `out`: closing it tells that
                                 ///< process that we closed them. None on the first connection.

  bool whole() const { return in && out; }
};

}  // namespace adarun::launcher::agent
