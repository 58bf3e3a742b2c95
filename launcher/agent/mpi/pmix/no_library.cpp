// SPDX-License-Identifier: Apache-2.0
// Replaces library.cpp in a statically linked agent.
#include "launcher/agent/base/error.h"
#include "launcher/agent/mpi/pmix/library.h"

namespace adarun::launcher::agent::pmix {

Library load_library() {
  throw Error("the static agent that was brought to this node loads no PMIx: install adarun-agent there");
}

}  // namespace adarun::launcher::agent::pmix
