// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "base/manual/man_page.h"

namespace adarun::trainer::profile {

/// `adarun-trainer profile`: writes the layers of a model as adarun plan reads them, with measured times.
/// `argv[0]` is `profile`. Returns the exit status. Throws Error.
int run(int argc, const char* const* argv);

/// Its manual page.
std::vector<manual::Page> man_pages();

}  // namespace adarun::trainer::profile
