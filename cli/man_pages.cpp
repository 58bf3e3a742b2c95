// SPDX-License-Identifier: Apache-2.0
#include "cli/man_pages.h"

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>

#include "cli/man_page.h"
#include "cli/typed_words.h"
#include "ranktable/write.h"

namespace adarun::cli {
namespace {

void write_pages(const CLI::App& command, const std::filesystem::path& folder) {
  ranktable::write_file(folder / (man_page_name(command) + ".1"), man_page(command));
  for (const CLI::App* inner : command.get_subcommands([](const CLI::App* each) { return is_shown(*each); }))
    write_pages(*inner, folder);
}

}  // namespace

void add_man_pages(CLI::App& app, Invocation&) {
  const auto folder = std::make_shared<std::string>();
  CLI::App* command = app.add_subcommand("man-pages", "Write the manual pages of all commands");
  command->group("");
  command->add_option("folder", *folder)->required()->type_name("DIR");
  command->callback([&app, folder] { write_pages(app, *folder); });
}

}  // namespace adarun::cli
