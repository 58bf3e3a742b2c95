// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "launcher/posix/file_descriptor.h"

namespace adarun::agent {

/// A pseudo-terminal: a program that writes to `program` believes it writes to a terminal, and so does not
/// hold its lines back; the same bytes, unchanged, are read from `agent`.
struct Terminal {
  posix::FileDescriptor agent;
  posix::FileDescriptor program;
};

/// Throws agent::Error where the system gives none. It becomes nobody's controlling terminal.
Terminal make_terminal();

}  // namespace adarun::agent
