// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>

#include "base/manual/man_page.h"
#include "cli/arguments/wrong_usage.h"
#include "cli/commands/commands.h"
#include "cli/commands/demo/demo_rank.h"
#include "cli/completion/completion.h"
#include "cli/console/print.h"
#include "ranktable/write.h"

namespace adarun::cli {
namespace {

void run_complete(const CLI::App& app, const std::vector<std::string>& words) {
  const TypedWords typed = read_typed_words(app, words);
  const Completion completion = complete(typed);
  std::string text = "words";
  if (completion.open) text += " open";
  if (completion.files) text += " files";
  if (completion.folders) text += " folders";
  if (completion.program) text += " program " + std::to_string(typed.before);
  text += "\n";
  for (const Completion::Candidate& each : completion.candidates) text += each.word + "\t" + each.help + "\n";
  print_all(text);
}

}  // namespace

void add_complete(CLI::App& app, Invocation& invocation) {
  CLI::App* command = app.add_subcommand("complete", "What may come next on a command line");
  command->group("");
  command->callback([&app, &invocation] { run_complete(app, invocation.trailing); });
}

void add_demo_rank(CLI::App& app, Invocation& invocation) {
  const auto options = std::make_shared<DemoRankOptions>();
  CLI::App* command = app.add_subcommand(
      "demo-rank", "A rank of adarun demo: trains nothing, prints losses of a made-up curve");
  command->group("");
  add_demo_rank_options(*command, *options);
  command->callback([options, &invocation] { invocation.exit_status = run_demo_rank(*options); });
}

void add_man_pages(CLI::App& app, Invocation&) {
  const auto folder = std::make_shared<std::string>();
  CLI::App* command = app.add_subcommand("man-pages", "Write the manual pages of all commands");
  command->group("");
  command->add_option("folder", *folder)->required()->type_name("DIR");
  command->callback([&app, folder] {
    for (const manual::Page& page : manual::man_pages(app, takes_program))
      ranktable::write_file(std::filesystem::path(*folder) / (page.name + ".1"), page.text);
  });
}

}  // namespace adarun::cli
