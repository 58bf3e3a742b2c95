// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace adarun::trainer::sets {

/// `adarun-trainer data draw|convert|inspect`: makes and looks at data sets. `argv[0]` is `data`. Prints to
/// stdout; gives the exit status. Throws Error.
int run(int argc, const char* const* argv);

}  // namespace adarun::trainer::sets
