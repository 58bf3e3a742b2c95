// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace adarun::launcher {

/// "NAME=VALUE" for a log: the value becomes "***" if the name contains TOKEN, SECRET, KEY or PASSWORD (in
/// any case), or is PMIX_NAMESPACE, which gives access to a job.
std::string masked(const std::string& variable);

}  // namespace adarun::launcher
