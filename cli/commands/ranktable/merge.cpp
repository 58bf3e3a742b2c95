// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <memory>
#include <optional>

#include "cli/arguments/option_values.h"
#include "cli/commands/ranktable/ranktable.h"
#include "ranktable/merge_files.h"
#include "ranktable/write.h"

namespace adarun::cli {
namespace {

using ranktable::Order;

constexpr const char* merge_examples = R"(
Writes hccl_<servers>s_<devices>p.json into the current folder and prints its name. Ranks are numbered anew,
server by server. Super pods of the same id become one. A result of an earlier run among the files is left
out, so a glob can be merged again.

Examples:
  adarun ranktable merge node1.json node2.json
  adarun ranktable merge --order numeric hccl_*p_*.json
  adarun ranktable merge -o cluster.json hccl_*p_*.json

Exit status: 0 done, 2 wrong usage, 3 could not do it.)";

struct MergeCommandOptions {
  std::vector<std::string> files;
  Order order = Order::given;
  TableOutput output;
};

void run_merge(const MergeCommandOptions& options) {
  const std::vector<std::filesystem::path> files(options.files.begin(), options.files.end());
  std::optional<std::filesystem::path> output;
  if (!options.output.file.empty() && !options.output.to_stdout()) output = options.output.file;
  const ranktable::MergedFiles merged = ranktable::merge_files(
      files, options.order, output,
      options.output.to_stdout() ? ranktable::MergeTarget::standard_output : ranktable::MergeTarget::file);
  print_warnings(merged.warnings, options.output);
  deliver_table(ranktable::write(merged.table), merged.output, options.output);
}

}  // namespace

void add_ranktable_merge(CLI::App& group, Invocation&) {
  const auto options = std::make_shared<MergeCommandOptions>();
  CLI::App* command = group.add_subcommand("merge", "Make one rank table of several");
  command->add_option("files", options->files, "Rank tables of version 1.0, or all of 1.2")
      ->required()
      ->type_name("FILE");
  add_choice<Order>(*command, "--order", options->order,
                    {{"given", Order::given},
                     {"numeric", Order::numeric},
                     {"lexical", Order::lexical},
                     {"rank", Order::rank}},
                    "Order of the servers (default: given)");
  add_table_output(*command, options->output);
  command->footer(merge_examples);
  command->callback([options] { run_merge(*options); });
}

}  // namespace adarun::cli
