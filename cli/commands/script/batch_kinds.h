// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "cli/arguments/placement.h"
#include "cli/commands/script/script_values.h"
#include "templates/template.h"

namespace adarun::cli {

/// The limit of a job in Slurm's forms, which all kinds of script take: M, M:S, H:M:S, D-H, D-H:M and
/// D-H:M:S. nullopt for any other text, and beyond 10,000 days.
std::optional<std::chrono::seconds> parse_time_limit(const std::string& text);

/// What is wrong with the text of a --time, for CLI11's check(); empty: nothing.
std::string check_time_limit(const std::string& text);

/// The same for sbatch, which also takes UNLIMITED and INFINITE.
std::string check_slurm_time_limit(const std::string& text);

/// As "H:MM:SS", for PBS.
std::string clock_text(std::chrono::seconds time);

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
