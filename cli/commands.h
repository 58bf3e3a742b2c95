// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "cli/attach.h"
#include "cli/check.h"
#include "cli/command.h"
#include "cli/complete.h"
#include "cli/demo.h"
#include "cli/launch.h"
#include "cli/logs.h"
#include "cli/man_pages.h"
#include "cli/monitor.h"
#include "cli/ps.h"
#include "cli/ranktable.h"
#include "cli/script.h"
#include "cli/status.h"
#include "cli/stop.h"
#include "cli/train.h"

namespace adarun::cli {

/// Every command of the program, in the order --help lists them; it does not list the last two. A command is
/// one file and one line here.
inline constexpr std::array commands{
    AddCommand{add_ranktable}, AddCommand{add_check},     AddCommand{add_launch}, AddCommand{add_train},
    AddCommand{add_ps},        AddCommand{add_status},    AddCommand{add_attach}, AddCommand{add_stop},
    AddCommand{add_logs},      AddCommand{add_monitor},   AddCommand{add_script}, AddCommand{add_demo},
    AddCommand{add_complete},  AddCommand{add_man_pages},
};

}  // namespace adarun::cli
