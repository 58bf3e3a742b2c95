// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "cli/arguments/command.h"
#include "ranktable/model/error.h"
#include "ranktable/model/table.h"
#include "ranktable/schemas/server_group/schema.h"

namespace adarun::cli {

struct NodeOptions;

/// `adarun ranktable gen|merge|validate|convert|show|diff|subset|env`.
void add_ranktable(CLI::App& app, Invocation& invocation);

/// The commands of the group.
void add_ranktable_gen(CLI::App& group, Invocation& invocation);
void add_ranktable_merge(CLI::App& group, Invocation& invocation);
void add_ranktable_validate(CLI::App& group, Invocation& invocation);
void add_ranktable_convert(CLI::App& group, Invocation& invocation);
void add_ranktable_show(CLI::App& group, Invocation& invocation);
void add_ranktable_diff(CLI::App& group, Invocation& invocation);
void add_ranktable_subset(CLI::App& group, Invocation& invocation);
void add_ranktable_env(CLI::App& group, Invocation& invocation);

/// Adds the options of add_node_options(), which need --hosts here: the hosts that --via knows of a batch job
/// come with numbers of ranks, not of cards.
void add_options_of_hosts(CLI::App& command, NodeOptions& options);

/// Output options of the commands that write a table.
struct TableOutput {
  std::string file;  ///< -o: empty for the default name, "-" for stdout.
  bool quiet = false;

  bool to_stdout() const { return file == "-"; }
};

/// Adds -o and -q.
void add_table_output(CLI::App& command, TableOutput& output);

/// Prints warnings to stderr, unless quiet.
void print_warnings(const std::vector<std::string>& warnings, const TableOutput& output);

/// Writes the table to stdout, or to `file`, and then names the file on stderr unless quiet. Throws on
/// failure.
void deliver_table(std::string_view text, const std::filesystem::path& file, const TableOutput& output);

/// Which ranks become which groups of a server_group table.
struct GroupOptions {
  std::vector<ranktable::GroupSelection> groups;
  std::string router;  ///< Empty: the first server.
};

/// Adds --role NAME=RANKS, which may come several times, and --router.
void add_group_options(CLI::App& command, GroupOptions& options);

/// Throws ExitError with exit_usage if a --role makes the group in which --router would be.
void require_place_of_router(const GroupOptions& options);

/// Throws ExitError with exit_usage unless there are no groups, or each rank of the table is in one.
void require_groups_fit(const GroupOptions& options, const ranktable::Table& ranks);

/// Returns what `act` returns. An Error that it throws gets the name of the file in front.
template <typename Act>
auto about(const std::string& file, Act act) {
  try {
    return act();
  } catch (const ranktable::Error& error) {
    throw ranktable::Error(file + ": " + error.what());
  }
}

}  // namespace adarun::cli
