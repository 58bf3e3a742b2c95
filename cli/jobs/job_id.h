// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace adarun::cli {

/// A fresh id, such as "20261121-104502-3fa9c1".
std::string new_job_id();

}  // namespace adarun::cli
