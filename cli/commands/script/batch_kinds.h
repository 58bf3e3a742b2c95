// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/arguments/placement.h"
#include "cli/commands/script/script_values.h"
#include "templates/template.h"

namespace CLI {
class App;
}

namespace adarun::cli {

// Scripts for batch systems that run adarun launch in the job: their options and their values.

void add_sbatch(CLI::App& command, ScriptJob& job);
void add_pbs(CLI::App& command, ScriptJob& job);
void add_lsf(CLI::App& command, ScriptJob& job);
void add_flux(CLI::App& command, ScriptJob& job);

void complete_sbatch(templates::Values& values, const launcher::Placement& placement, const ScriptJob& job);
void complete_pbs(templates::Values& values, const launcher::Placement& placement, const ScriptJob& job);
void complete_lsf(templates::Values& values, const launcher::Placement& placement, const ScriptJob& job);
void complete_flux(templates::Values& values, const launcher::Placement& placement, const ScriptJob& job);

}  // namespace adarun::cli
