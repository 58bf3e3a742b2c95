// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "cli/arguments/command.h"
#include "cli/commands/ranktable/ranktable.h"

namespace adarun::cli {

/// `adarun attach`: shows what a detached job prints, until the job ends or Ctrl-C.
void add_attach(CLI::App& app, Invocation& invocation);

/// `adarun check`: checks whether nodes can run a job, and where they differ.
void add_check(CLI::App& app, Invocation& invocation);

/// `adarun complete -- WORD...`: called by the shells' completion scripts (cli/completion/shells); not shown
/// by --help. The words are those after "adarun"; the last one may be incomplete. Output: the first line is
/// "words", followed by any of "open", "files", "folders" and "program N" (see Completion; N of the words
/// stand before the program); each further line is a word, a tab and its help.
void add_complete(CLI::App& app, Invocation& invocation);

/// `adarun config`: shows the defaults that hold, and where they come from.
void add_config(CLI::App& app, Invocation& invocation);

/// `adarun demo`: runs the built-in trainer, or a small program of its own, on this machine, over real SSH.
void add_demo(CLI::App& app, Invocation& invocation);

/// `adarun demo-rank`: that small program, which the demo starts as every rank; not shown by --help.
void add_demo_rank(CLI::App& app, Invocation& invocation);

/// `adarun launch`: runs a program as every rank of a job.
void add_launch(CLI::App& app, Invocation& invocation);

/// `adarun logs`: prints the workers' logs of a job, once or while they grow.
void add_logs(CLI::App& app, Invocation& invocation);

/// `adarun man-pages DIR`: writes a manual page for each command to DIR, for the build; not shown by --help.
void add_man_pages(CLI::App& app, Invocation& invocation);

/// `adarun monitor`: shows the loss of a job from its logs, live or as a summary.
void add_monitor(CLI::App& app, Invocation& invocation);

/// `adarun plan`: finds the fastest way to split a model over ranks.
void add_plan(CLI::App& app, Invocation& invocation);

/// `adarun prune`: removes the folders of jobs that have ended.
void add_prune(CLI::App& app, Invocation& invocation);

/// `adarun ps`: lists jobs.
void add_ps(CLI::App& app, Invocation& invocation);

/// `adarun resize`: changes the nodes of a running job.
void add_resize(CLI::App& app, Invocation& invocation);

/// `adarun script`: writes scripts that start the same ranks without adarun.
void add_script(CLI::App& app, Invocation& invocation);

/// `adarun status`: shows the state of a job and its ranks.
void add_status(CLI::App& app, Invocation& invocation);

/// `adarun stop`: ends a job.
void add_stop(CLI::App& app, Invocation& invocation);

/// `adarun train`: runs the built-in trainer as every rank of a job.
void add_train(CLI::App& app, Invocation& invocation);

/// `adarun version`: says which build this is, for people or scripts.
void add_version(CLI::App& app, Invocation& invocation);

/// `adarun wait`: waits until jobs have ended.
void add_wait(CLI::App& app, Invocation& invocation);

/// All commands, in the order of --help, which does not list the last three. To add a command, add a file, a
/// declaration above and an entry here. add_ranktable is declared with its group.
inline constexpr std::array commands{
    AddCommand{add_ranktable}, AddCommand{add_check},   AddCommand{add_launch},   AddCommand{add_train},
    AddCommand{add_plan},      AddCommand{add_ps},      AddCommand{add_status},   AddCommand{add_attach},
    AddCommand{add_wait},      AddCommand{add_stop},    AddCommand{add_resize},   AddCommand{add_logs},
    AddCommand{add_prune},     AddCommand{add_monitor}, AddCommand{add_script},   AddCommand{add_demo},
    AddCommand{add_config},    AddCommand{add_version}, AddCommand{add_complete}, AddCommand{add_demo_rank},
    AddCommand{add_man_pages},
};

}  // namespace adarun::cli
