// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>

#include "base/manual/man_page.h"
#include "cli/arguments/wrong_usage.h"
#include "cli/commands/commands.h"
#include "ranktable/write.h"

namespace adarun::cli {

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
