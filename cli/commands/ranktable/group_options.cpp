// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/ranktable/group_options.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <set>
#include <stdexcept>

#include "cli/arguments/command.h"
#include "cli/arguments/rank_set.h"
#include "ranktable/model/decimal.h"
#include "ranktable/model/error.h"
#include "ranktable/model/quote.h"
#include "ranktable/model/server_name.h"
#include "ranktable/schemas/server_group/schema.h"

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
      exit_usage, [&] { ranktable::require_each_rank_once(ranks, options.groups); }, "--role: ");
}

}  // namespace adarun::cli
