// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "cli/commands/attach.h"
#include "cli/commands/check.h"
#include "cli/commands/complete.h"
#include "cli/commands/demo.h"
#include "cli/commands/launch.h"
#include "cli/commands/logs.h"
#include "cli/commands/man_pages.h"
#include "cli/commands/monitor.h"
#include "cli/commands/ps.h"
#include "cli/commands/ranktable/ranktable.h"
#include "cli/commands/script.h"
#include "cli/commands/status.h"
#include "cli/commands/stop.h"
#include "cli/commands/train.h"
#include "cli/options/command.h"

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
