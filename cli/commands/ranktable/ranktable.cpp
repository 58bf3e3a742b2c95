// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/ranktable/ranktable.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <set>
#include <stdexcept>

#include "base/clean_text.h"
#include "cli/arguments/node_options.h"
#include "cli/arguments/option_values.h"
#include "cli/arguments/rank_set.h"
#include "cli/console/print.h"
#include "ranktable/model/decimal.h"
#include "ranktable/model/quote.h"
#include "ranktable/model/server_name.h"
#include "ranktable/schemas/server_group/schema.h"
#include "ranktable/write.h"

namespace adarun::cli {
namespace {

constexpr const char* option_of_roles = "--role";

[[noreturn]] void refuse_group(const std::string& text, const std::string& why) {
  throw CLI::ValidationError(option_of_roles, ranktable::in_quotes(text) + ": " + why);
}

// The numbers that vllm-ascend and omni-infer read; others are given as they are.
std::string group_id_of(const std::string& name, const std::string& text) {
  if (name == "prefill") return "1";
  if (name == "decode") return "2";
  if (!ranktable::parse_decimal(name))
    refuse_group(text, "wanted prefill, decode or a group_id, = and its ranks, such as prefill=0-7");
  return name;
}

ranktable::GroupSelection group_in(const std::string& text) {
  const std::size_t equals = text.find('=');
  const std::string id = group_id_of(text.substr(0, equals), text);
  if (equals == std::string::npos) refuse_group(text, "wanted = and its ranks, such as prefill=0-7");
  try {
    const std::set<std::uint32_t> ranks = parse_ranks(text.substr(equals + 1));
    return {id, {ranks.begin(), ranks.end()}};
  } catch (const std::invalid_argument& error) {
    refuse_group(text, error.what());
  }
}

void add_group(std::vector<ranktable::GroupSelection>& groups, const std::string& text) {
  const ranktable::GroupSelection group = group_in(text);
  const auto same = std::ranges::find(groups, group.group_id, &ranktable::GroupSelection::group_id);
  if (same != groups.end()) refuse_group(text, "a second group " + group.group_id);
  groups.push_back(group);
}

}  // namespace

void add_ranktable(CLI::App& app, Invocation& invocation) {
  CLI::App* group = app.add_subcommand("ranktable", "Make, check, convert, compare and cut rank tables");
  group->require_subcommand(1);
  add_ranktable_gen(*group, invocation);
  add_ranktable_merge(*group, invocation);
  add_ranktable_validate(*group, invocation);
  add_ranktable_convert(*group, invocation);
  add_ranktable_show(*group, invocation);
  add_ranktable_diff(*group, invocation);
  add_ranktable_subset(*group, invocation);
  add_ranktable_env(*group, invocation);
}

void add_options_of_hosts(CLI::App& command, NodeOptions& options) {
  CLI::Option* hosts = command.get_option("--hosts");
  const std::size_t before = command.get_options().size();
  add_node_options(command, options);
  const std::vector<CLI::Option*> all = command.get_options();
  for (std::size_t i = before; i < all.size(); ++i) all[i]->needs(hosts);
}

void add_table_output(CLI::App& command, TableOutput& output) {
  add_text(command, "-o,--output", output.file, "FILE", "Where to write the table; - is stdout");
  command.add_flag("-q,--quiet", output.quiet, "Print neither warnings nor the name of the file");
}

void print_warnings(const std::vector<std::string>& warnings, const TableOutput& output) {
  if (output.quiet) return;
  for (const std::string& warning : warnings)
    std::fprintf(stderr, "adarun: warning: %s\n", base::clean_line(warning).c_str());
}

void deliver_table(std::string_view text, const std::filesystem::path& file, const TableOutput& output) {
  if (output.to_stdout()) return print_all(text);
  ranktable::write_file(file, text);
  if (!output.quiet) say_written(file);
}

void add_group_options(CLI::App& command, GroupOptions& options) {
  CLI::Option* role =
      command
          .add_option_function<std::vector<std::string>>(
              option_of_roles,
              [&options](const std::vector<std::string>& texts) {
                for (const std::string& text : texts) add_group(options.groups, text);
              },
              "Make a server_group table, in which these ranks are one group: NAME is prefill, decode or a "
              "group_id")
          ->type_name("NAME=RANKS")
          ->expected(1)
          ->take_all();
  command
      .add_option("--router", options.router,
                  "With --role: where the router or coordinator runs (default: the first server)")
      ->check([](const std::string& text) {
        return ranktable::is_server_name(text) ? std::string()
                                               : "wanted an address or the name of a host, which has " +
                                                     std::string(ranktable::server_name_letters);
      })
      ->type_name("ADDRESS")
      ->needs(role);
}

void require_place_of_router(const GroupOptions& options) {
  if (!options.router.empty() && ranktable::is_selected(options.groups, "0"))
    throw ExitError(exit_usage,
                    "--router: not with --role 0=..., which makes the group of the router with devices");
}

void require_groups_fit(const GroupOptions& options, const ranktable::Table& ranks) {
  if (options.groups.empty()) return;
  or_exit<ranktable::Error>(
      exit_usage, [&] { ranktable::require_each_rank_once(ranks, options.groups); },
      std::string(option_of_roles) + ": ");
}

}  // namespace adarun::cli
