// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "version/build_facts.h"

namespace adarun::launcher {

/// Which libssh this program runs with.
version::Fact ssh_library();

}  // namespace adarun::launcher
