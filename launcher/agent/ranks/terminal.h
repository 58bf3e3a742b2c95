// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/file_descriptor.h"

namespace adarun::launcher::agent {

/// A pseudo-terminal: a program that writes to `program` believes it writes to a terminal, and so does not
/// hold its lines back; the same bytes, unchanged, are read from `agent`.
struct Terminal {
  base::FileDescriptor agent;
  base::FileDescriptor program;
};

/// Throws agent::Error where the system gives none. It becomes nobody's controlling terminal.
Terminal make_terminal();

}  // namespace adarun::launcher::agent
