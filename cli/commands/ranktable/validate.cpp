// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>

#include "base/clean_text.h"
#include "cli/arguments/option_values.h"
#include "cli/commands/ranktable/checked_table.h"
#include "cli/commands/ranktable/ranktable.h"
#include "cli/commands/ranktable/validate_hosts.h"
#include "ranktable/model/error.h"

namespace adarun::cli {
namespace {

using ranktable::Generation;
using ranktable::Profile;

constexpr const char* validate_examples = R"(
Reports everything that is wrong, with its JSON path, HCCL's error code and how to mend it. Takes every schema:
1.0, 1.2, 2.0, cloud, lab and server_group.

Examples:
  adarun ranktable validate hccl_2s_16p.json
  adarun ranktable validate --profile hccl --generation 910 hccl_*.json
  adarun ranktable validate --profile adasum hccl_2s_16p.json
  adarun ranktable validate hccl_2s_16p.json --hosts node[1-2] --path /job/rank_table.json
  adarun ranktable validate --json hccl_2s_16p.json | jq -r '.[].findings[].path'

Exit status: 0 all valid, 1 one is not, 2 wrong usage, 3 a file cannot be read or a node asked.)";

struct ValidateCommandOptions {
  std::vector<std::string> files;
  ranktable::ValidateOptions rules;
  HostsCheck hosts;
  bool json = false;
  bool quiet = false;
};

CheckedTable check(const std::string& file, const ranktable::ValidateOptions& rules) {
  try {
    return {file, ranktable::validate_file(file, rules)};
  } catch (const ranktable::Error& error) {
    return {file, {}, error.what()};
  }
}

// Number of files by result.
struct Tally {
  std::size_t valid = 0;
  std::size_t not_valid = 0;
  std::size_t not_read = 0;
  Coverage coverage = Coverage::all_nodes;

  void add(const CheckedTable& checked) {
    ++(!checked.is_read() ? not_read : checked.is_valid() ? valid : not_valid);
  }
  int exit_status() const {
    if (not_read > 0 || coverage == Coverage::not_all) return exit_failed;
    return not_valid > 0 ? exit_no : exit_done;
  }
  std::string text() const {
    std::string line =
        std::to_string(valid + not_valid + not_read) + " files: " + std::to_string(valid) + " valid";
    if (not_valid > 0) line += ", " + std::to_string(not_valid) + " not valid";
    if (not_read > 0) line += ", " + std::to_string(not_read) + " not read";
    return line + "\n";
  }
};

// If a file is unreadable, the others are still checked.
int run_validate(const ValidateCommandOptions& options, bool color) {
  if (options.hosts.wanted() && options.files.size() > 1)
    throw Quit(exit_usage, "ranktable validate: --hosts takes one file at a time");
  Tally tally;
  std::string separator = "[\n";
  for (const std::string& file : options.files) {
    CheckedTable checked = check(file, options.rules);
    if (options.hosts.wanted() && checked.is_read()) tally.coverage = check_on_hosts(checked, options.hosts);
    tally.add(checked);
    if (!checked.is_read()) std::fprintf(stderr, "adarun: %s\n", base::clean_lines(checked.error).c_str());
    if (options.json)
      print_all(separator + as_json(checked));
    else if (checked.is_read())
      print_all(as_text(checked, {color, options.quiet}));
    separator = ",\n";
  }
  if (options.json) print_all("\n]\n");
  if (!options.json && !options.quiet && options.files.size() > 1) print_all(tally.text());
  return tally.exit_status();
}

}  // namespace

void add_ranktable_validate(CLI::App& group, Invocation& invocation) {
  const auto options = std::make_shared<ValidateCommandOptions>();
  CLI::App* command = group.add_subcommand("validate", "Check rank tables by the rules of HCCL");
  command->add_option("files", options->files, "Rank tables")->required()->type_name("FILE");
  add_choice<Profile>(*command, "--profile", options->rules.profile,
                      {{"hccl", Profile::hccl}, {"adasum", Profile::adasum}},
                      "hccl: HCCL must take it; adasum: its number of devices must suit AdaSum");
  add_choice<Generation>(*command, "--generation", options->rules.generation,
                         {{"910", Generation::ascend910},
                          {"a2", Generation::a2},
                          {"a3", Generation::a3},
                          {"950", Generation::ascend950}},
                         "Hold it to the rules of this generation (default: warn of those of each)");
  options->hosts.nodes.log = &invocation.log;
  add_hosts_check(*command, options->hosts);
  command->add_flag("--json", options->json,
                    "Print a JSON array, one object per file (docs/validate.schema.json)");
  command->add_flag("-q,--quiet", options->quiet, "Print errors only");
  command->footer(validate_examples);
  command->callback(
      [options, &invocation] { invocation.exit_status = run_validate(*options, invocation.color); });
}

}  // namespace adarun::cli
