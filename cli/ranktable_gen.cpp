// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <memory>

#include "cli/choice.h"
#include "cli/ranktable.h"
#include "cli/ranktable_cards.h"
#include "cli/ranktable_own_address.h"
#include "launcher/hosts/read.h"
#include "launcher/plan.h"
#include "ranktable/error.h"
#include "ranktable/gen.h"
#include "ranktable/merge.h"
#include "ranktable/write.h"

namespace adarun::cli {
namespace {

using ranktable::Rings;

constexpr const char* examples = R"help(
Writes hccl_<devices>p_<logical ids>_<server>.json into the current folder and prints its name. Card
addresses come from hccn_tool, or from /etc/hccn.conf where the tool is not there.

Examples:
  adarun ranktable gen
  adarun ranktable gen --device-num "[0,4)" --server-ip 10.0.0.2
  adarun ranktable gen --device-num "[0,2)" --visible-devices 4,5 -o -
  adarun ranktable gen --plain --hosts node[1-2]:8

Exit status: 0 done, 2 wrong usage, 3 could not do it.)help";

struct Options {
  ranktable::GenOptions table;
  CardSources cards;
  std::string hosts;
  bool plain = false;
  TableOutput output;
  std::vector<std::string> warnings;
};

// Takes an option's text; what ranktable refuses is wrong usage.
template <typename Take>
void add_text(CLI::App& command, const std::string& names, const std::string& help, Take take) {
  const auto checked = [names, take](const std::string& text) {
    try {
      take(text);
    } catch (const ranktable::Error& error) {
      throw CLI::ValidationError(names.substr(0, names.find(',')), error.what());
    }
  };
  command.add_option_function<std::string>(names, checked, help)->type_name("TEXT");
}

void add_devices(CLI::App& command, Options& options) {
  add_text(command, "--device-num,--device_num",
           "Logical devices, half-open; ranks are numbered from 0 (default: [0,8))",
           [&options](const std::string& text) {
             ranktable::ParsedRange parsed = ranktable::parse_device_range(text);
             options.table.devices = parsed.range;
             if (parsed.warning) options.warnings.push_back(*parsed.warning);
           });
  add_text(command, "--visible-devices,--visible_devices",
           "Physical ids, in the order of the logical ones (default: the same)",
           [&options](const std::string& text) {
             options.table.visible_devices = ranktable::parse_visible_devices(text);
           });
  command
      .add_option("--server-ip,--server_ip", options.table.server_id,
                  "This server's id in the table (default: the address its name resolves to)")
      ->type_name("IP");
  add_choice<Rings>(command, "--generation", options.table.rings,
                    {{"910", Rings::of_four}, {"a2", Rings::none}, {"a3", Rings::none}},
                    "a2 and a3 lift the rule that a range must not cross rings of four");
}

void add_sources(CLI::App& command, Options& options) {
  CLI::Option* plain =
      command.add_flag("--plain", options.plain, "For servers without NPUs: no card addresses");
  CLI::Option* conf = command
                          .add_option("--hccn-conf,--hccn_conf", options.cards.hccn_conf,
                                      "Card addresses from this file, not from hccn_tool")
                          ->type_name("FILE");
  CLI::Option* tool = command
                          .add_option("--hccn-tool,--hccn_tool", options.cards.hccn_tool,
                                      "Card addresses from this program alone")
                          ->type_name("PROGRAM");
  CLI::Option* hosts =
      command
          .add_option("-H,--hosts", options.hosts,
                      "Several servers (with --plain): a hostfile, or a list such as node[1-4]:8")
          ->type_name("LIST");
  conf->excludes(tool)->excludes(plain);
  tool->excludes(plain);
  for (const char* own : {"--device-num", "--visible-devices", "--server-ip"})
    hosts->excludes(command.get_option(own));
}

void run_for_hosts(const Options& options) {
  if (!options.plain)
    throw Quit(
        exit_usage,
        "ranktable gen: --hosts needs --plain: card addresses of other nodes cannot be asked for yet; run "
        "gen on each node, then merge");
  const ranktable::Table table = launcher::table_of(launcher::read_hosts(options.hosts));
  const bool named = !options.output.file.empty();
  deliver_table(ranktable::write(table), named ? options.output.file : ranktable::merged_name(table),
                options.output);
}

void choose_server_id(Options& options) {
  if (!options.table.server_id.empty()) return;
  options.table.server_id = own_address();
  if (is_loopback(options.table.server_id))
    options.warnings.push_back("this server's name resolves to " + options.table.server_id +
                               ", which other servers cannot reach: give --server-ip ADDRESS for a cluster");
}

ranktable::Table table_of_this_server(const Options& options) {
  if (options.plain) return ranktable::generate_plain(options.table);
  return ranktable::generate(options.table,
                             card_addresses(ranktable::physical_devices(options.table), options.cards));
}

void require_usable_devices(const Options& options) {
  ranktable::GenOptions table = options.table;
  if (options.plain) table.rings = Rings::none;
  try {
    ranktable::physical_devices(table);
  } catch (const ranktable::Error& error) {
    throw Quit(exit_usage, std::string("ranktable gen: ") + error.what());
  }
}

void run(Options& options) {
  if (!options.hosts.empty()) return run_for_hosts(options);
  require_usable_devices(options);
  choose_server_id(options);
  print_warnings(options.warnings, options.output);
  const std::string text = ranktable::write(table_of_this_server(options));
  const bool named = !options.output.file.empty();
  deliver_table(text, named ? options.output.file : ranktable::file_name(options.table), options.output);
}

}  // namespace

void add_ranktable_gen(CLI::App& group, Invocation&) {
  const auto options = std::make_shared<Options>();
  CLI::App* command = group.add_subcommand("gen", "Make the rank table of this server");
  add_devices(*command, *options);
  add_sources(*command, *options);
  add_table_output(*command, options->output);
  command->footer(examples);
  command->callback([options] { run(*options); });
}

}  // namespace adarun::cli
