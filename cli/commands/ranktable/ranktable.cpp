// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/ranktable/ranktable.h"
#include "cli/arguments/option_values.h"

#include <CLI/CLI.hpp>
#include <cstddef>
#include <cstdio>

#include "base/clean_text.h"
#include "cli/arguments/node_options.h"
#include "cli/console/print.h"
#include "ranktable/write.h"

namespace adarun::cli {

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

}  // namespace adarun::cli
