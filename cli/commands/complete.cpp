// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>

#include "cli/commands/commands.h"
#include "cli/commands/ranktable/ranktable.h"
#include "cli/completion/completion.h"

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

}  // namespace adarun::cli
