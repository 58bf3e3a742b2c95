// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "launcher/job/rank_record.h"

namespace adarun::launcher {

/// How a rank ended: "exit code 7", "SIGSEGV (Segmentation fault), core dumped: /home/ada/core.17".
std::string describe_end(const RankRecord& record);

}  // namespace adarun::launcher
