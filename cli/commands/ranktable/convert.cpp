// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <memory>

#include "base/clean_text.h"
#include "cli/arguments/option_values.h"
#include "cli/commands/ranktable/ranktable.h"
#include "ranktable/model/error.h"
#include "ranktable/operations/convert.h"
#include "ranktable/parse.h"
#include "ranktable/schemas/server_group/schema.h"
#include "ranktable/validate.h"
#include "ranktable/write.h"

namespace adarun::cli {
namespace {

using ranktable::Schema;

constexpr const char* convert_examples = R"(
Every rank stays on its device. What the wanted schema has no place for, and what it asks for and the file
does not say, is reported on stderr with its JSON path. A cloud table has no ranks of its own: HCCL ranks by
server_id in byte order, then by device_id, and a table with other ranks is refused.

A server_group table has groups of ranks, each numbered from 0. --role makes them, --group takes one out; without
--group they follow one another.

Examples:
  adarun ranktable convert job.json --to 1.0 -o hccl_2s_16p.json
  adarun ranktable convert hccl_2s_16p.json --to cloud
  adarun ranktable convert --strict super_pods.json --to 1.0 > plain.json
  adarun ranktable convert hccl_2s_16p.json --to server_group --role prefill=0-7 --role decode=8-15 -o groups.json
  adarun ranktable convert groups.json --group 1 --to 1.0 -o prefill.json

Exit status: 0 done, 1 something would be lost and --strict is given, 2 wrong usage, 3 could not do it.)";

struct ConvertOptions {
  std::string file;
  Schema to = Schema::v1_0;
  bool strict = false;
  GroupOptions groups;
  std::string group;  ///< The only one to convert; empty: all.
  TableOutput output = {"-"};
};

const ranktable::ServerGroupTable& groups_in(const ranktable::AnyTable& table, const std::string& file) {
  if (const auto* groups = std::get_if<ranktable::ServerGroupTable>(&table)) return *groups;
  throw ExitError(exit_usage, "ranktable convert: --group takes a server_group table, and " + file +
                                  " is one of schema " + std::string(name(schema_of(table))));
}

ranktable::Converted regrouped(const ConvertOptions& options, const ranktable::AnyTable& table) {
  require_groups_fit(options.groups, ranktable::ranks_of(table));
  return ranktable::convert_to_groups(table, options.groups.groups, options.groups.router);
}

ranktable::Converted converted_table(const ConvertOptions& options) {
  const ranktable::AnyTable table = ranktable::read_any(options.file);
  const bool makes_groups = !options.groups.groups.empty();
  if (options.group.empty())
    return about(options.file, [&] {
      return makes_groups ? regrouped(options, table) : ranktable::convert(table, options.to);
    });
  const ranktable::ServerGroupTable& groups = groups_in(table, options.file);
  const std::size_t index = or_exit<ranktable::Error>(
      exit_usage, [&] { return group_index(groups, options.group); }, options.file + ": ");
  return about(options.file, [&] {
    return makes_groups ? regrouped(options, without_other_groups(groups, index))
                        : ranktable::convert_group(groups, options.group, options.to);
  });
}

void report(const std::string& file, const char* what, const std::vector<std::string>& lines) {
  for (const std::string& line : lines)
    std::fprintf(stderr, "adarun: %s: %s: %s\n", file.c_str(), what, base::clean_line(line).c_str());
}

// Warns of what conversion cannot fix: an invalid table, values that only the hardware knows.
void warn_of_defects(const ConvertOptions& options, const ranktable::AnyTable& table,
                     std::size_t text_bytes) {
  if (text_bytes >
      (options.to == Schema::v2_0 ? ranktable::max_rank_list_text_bytes : ranktable::max_text_bytes))
    print_warnings({"the result is larger than what adarun reads"}, options.output);
  std::vector<ranktable::Finding> findings = ranktable::validate(table);
  findings.erase(std::remove_if(findings.begin(), findings.end(),
                                [](const auto& each) { return each.severity != ranktable::Severity::error; }),
                 findings.end());
  if (findings.empty()) return;
  const std::string more =
      findings.size() > 1 ? " (and " + std::to_string(findings.size() - 1) + " more)" : "";
  print_warnings({"the result is not valid: " + describe(findings.front()) + more}, options.output);
}

int run_convert(const ConvertOptions& options) {
  if (!options.groups.groups.empty() && options.to != Schema::server_group)
    throw ExitError(exit_usage, "ranktable convert: --role makes groups, which --to server_group writes");
  require_place_of_router(options.groups);
  const ranktable::Converted converted = converted_table(options);
  const bool refused = options.strict && !converted.dropped_fields.empty();
  if (!options.output.quiet || refused)
    report(options.file, refused ? "would be lost" : "lost", converted.dropped_fields);
  if (refused) {
    std::fprintf(stderr, "adarun: %s: not converted, because of --strict\n", options.file.c_str());
    return exit_no;
  }
  if (!options.output.quiet) report(options.file, "added", converted.additions);
  const std::string text = ranktable::write(converted.table);
  warn_of_defects(options, converted.table, text.size());
  deliver_table(text, options.output.file, options.output);
  return exit_done;
}

}  // namespace

void add_ranktable_convert(CLI::App& group, Invocation& invocation) {
  const auto options = std::make_shared<ConvertOptions>();
  CLI::App* command = group.add_subcommand("convert", "Write a rank table in another schema");
  command->add_option("file", options->file, "A rank table of any schema")->required()->type_name("FILE");
  add_choice<Schema>(*command, "--to", options->to, ranktable::schema_names(), "The schema to write")
      ->required();
  add_group_options(*command, options->groups);
  add_text(*command, "--group", options->group, "ID", "Convert this group of a server_group table alone");
  command->add_flag("--strict", options->strict, "Write nothing where something would be lost");
  add_text(*command, "-o,--output", options->output.file, "FILE",
           "Where to write the table (default: -, which is stdout)");
  command->add_flag("-q,--quiet", options->output.quiet, "Print neither the report nor the name of the file");
  command->footer(convert_examples);
  command->callback([options, &invocation] { invocation.exit_status = run_convert(*options); });
}

}  // namespace adarun::cli
