// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace adarun::launcher {

/// "NAME=VALUE" fit for a log: the value is "***" where the name holds TOKEN, SECRET, KEY or PASSWORD (in any
/// case), or is PMIX_NAMESPACE, by which one gets into a job.
std::string masked(const std::string& variable);

}  // namespace adarun::launcher
