// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "cli/commands/ranktable/ranktable.h"
#include "cli/options/command.h"

namespace adarun::cli {

/// `adarun attach`: shows what a detached job prints, and goes again.
void add_attach(CLI::App& app, Invocation& invocation);

/// `adarun check`: whether nodes can run a job, and where they differ.
void add_check(CLI::App& app, Invocation& invocation);

/// `adarun complete -- WORD...`, which --help does not show: what the shells' completions
/// (cli/completion/shells) ask. The words are those behind "adarun", the last one as far as it is typed. The
/// first line is "words", with "open", "files", "folders" or "program" behind it (Completion); each further
/// one a word, a tab, what it is.
void add_complete(CLI::App& app, Invocation& invocation);

/// `adarun demo`: the main job on this machine, over real SSH.
void add_demo(CLI::App& app, Invocation& invocation);

/// `adarun launch`: any program as every rank.
void add_launch(CLI::App& app, Invocation& invocation);

/// `adarun logs`: the workers' logs of a job, as they are or while they grow.
void add_logs(CLI::App& app, Invocation& invocation);

/// `adarun man-pages DIR`, which --help does not show: the build has it write a page of each command to DIR.
void add_man_pages(CLI::App& app, Invocation& invocation);

/// `adarun monitor`: the loss of a job from its logs, live or as a summary.
void add_monitor(CLI::App& app, Invocation& invocation);

/// `adarun ps`: lists jobs.
void add_ps(CLI::App& app, Invocation& invocation);

/// `adarun script`: the same job for sites where others start it, as files to read, change and run.
void add_script(CLI::App& app, Invocation& invocation);

/// `adarun status`: tells where a job stands.
void add_status(CLI::App& app, Invocation& invocation);

/// `adarun stop`: ends a job.
void add_stop(CLI::App& app, Invocation& invocation);

/// `adarun train`: the built-in trainer as every rank.
void add_train(CLI::App& app, Invocation& invocation);

/// Every command of the program, in the order --help lists them; it does not list the last two. A command is
/// one file, a declaration above and its place here; add_ranktable is declared beside its group.
inline constexpr std::array commands{
    AddCommand{add_ranktable}, AddCommand{add_check},     AddCommand{add_launch}, AddCommand{add_train},
    AddCommand{add_ps},        AddCommand{add_status},    AddCommand{add_attach}, AddCommand{add_stop},
    AddCommand{add_logs},      AddCommand{add_monitor},   AddCommand{add_script}, AddCommand{add_demo},
    AddCommand{add_complete},  AddCommand{add_man_pages},
};

}  // namespace adarun::cli
