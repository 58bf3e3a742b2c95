// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/build_facts.h"

namespace adarun::launcher {

/// Which libssh this program runs with.
base::Fact ssh_library();

}  // namespace adarun::launcher
