// SPDX-License-Identifier: Apache-2.0
// In place of library.cpp, for an agent that is linked statically.
#include "launcher/agent/error.h"
#include "launcher/agent/pmix/library.h"

namespace adarun::agent::pmix {

Library load_library() {
  throw Error("the static agent that was brought to this node loads no PMIx: install adarun-agent there");
}

}  // namespace adarun::agent::pmix
