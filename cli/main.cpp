// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <stdexcept>
#include <utility>

#include "base/build_facts.h"
#include "base/log/log.h"
#include "base/manual/help_format.h"
#include "base/name_service.h"
#include "base/system_text.h"
#include "cli/arguments/command.h"
#include "cli/arguments/command_line.h"
#include "cli/arguments/default_words.h"
#include "cli/arguments/wrong_usage.h"
#include "cli/commands/commands.h"
#include "cli/console/print.h"
#include "launcher/transport/ssh/ssh_session.h"

namespace adarun::cli {
namespace {

// A file opened later could get the number of a closed stdin, stdout or stderr, and be used as that stream.
void fill_standard_streams() {
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", O_RDWR) != fd)
      throw std::runtime_error("/dev/null: cannot open it in place of a closed standard stream");
}

// Words after "--" are a program or its options; other commands would silently ignore them.
void require_program_for(const CLI::App& app, const Invocation& invocation) {
  if (invocation.trailing.empty()) return;
  for (const CLI::App* command : app.get_subcommands())
    if (!takes_program(command->get_name()))
      throw ExitError(exit_usage,
                      command->get_name() + ": takes nothing behind --, found " + invocation.trailing[0]);
}

int run(int argc, char** argv, base::Log& log) {
  Invocation invocation{log};
  CLI::App app("Rank tables, launching, logs, loss and AdaSum for training on many devices.", "adarun");
  app.formatter(std::make_shared<manual::HelpFormat>());
  app.set_version_flag("-V,--version", [] { return base::text("adarun", {launcher::ssh_library()}); });
  app.require_subcommand(1);
  app.fallthrough();  // Subcommands inherit it: `adarun monitor --color always` works too.
  std::string color = "auto";
  app.add_option("--color", color, "Colour on a terminal (default: auto)")
      ->check([](const std::string& text) {
        const bool known = text == "auto" || text == "always" || text == "never";
        return known ? std::string() : "\"" + text + "\": wanted auto, always or never";
      })
      ->type_name("auto|always|never");
  int verbose = 0;
  app.add_flag("-v,--verbose", verbose,
               "Say more on stderr: each step, and twice (-vv) what helps to find a fault");
  app.parse_complete_callback([&] {
    invocation.color = wants_color(color, std::getenv("NO_COLOR"), isatty(STDOUT_FILENO) != 0);
    if (verbose > 0) log.show(verbose > 1 ? base::Level::debug : base::Level::info);
    require_program_for(app, invocation);
  });
  for (const AddCommand add : commands) add(app, invocation);
  app.set_help_all_flag("--help-all", "Print the help of all commands and exit");  // not inherited by them
  CommandLine line = take_apart(app, {argv + 1, argv + argc});
  if (takes_defaults(app, line.own)) {
    DefaultSources sources = default_sources();
    sources.warn = [&log](const std::string& text) { log.warning(text); };
    if (!takes_defaults_of_folder(app, line.own)) sources.folder.clear();
    std::vector<Default> defaults = read_defaults(sources);
    require_known(app, defaults);
    invocation.spec = take_spec(app, line.own, defaults);
    const std::vector<Default> used = add_defaults(app, line.own, defaults);
    check_folder_defaults(app, line.own, used, invocation.spec.get(), folder_of_allowed(), log);
  }
  invocation.trailing = std::move(line.trailing);
  invocation.if_not_found = std::move(line.if_not_found);
  try {
    app.parse(std::vector<std::string>(line.own.rbegin(), line.own.rend()));
  } catch (const CLI::Success& asked) {
    return app.exit(asked);
  } catch (const CLI::ParseError& wrong) {
    std::fputs(wrong_usage(app, wrong, line.own).c_str(), stderr);
    return exit_usage;
  }
  return invocation.exit_status;
}

// What a command prints may be lost at its very end. That a reader is gone is no error.
int with_output_written(int status, base::Log& log) {
  errno = 0;
  const bool is_written = std::fflush(stdout) == 0 && std::ferror(stdout) == 0;
  pollfd reader{STDOUT_FILENO, 0, 0};
  if (is_written || (poll(&reader, 1, 0) > 0 && (reader.revents & (POLLERR | POLLHUP)) != 0)) return status;
  log.error("stdout: not all could be written" +
            (errno != 0 ? ": " + base::system_text(errno) : std::string()));
  return status == exit_done ? exit_failed : status;
}

}  // namespace
}  // namespace adarun::cli

int main(int argc, char** argv) {
  adarun::base::Log log("adarun");
  try {
    adarun::cli::fill_standard_streams();
    adarun::base::disable_nss_plugins();
    return adarun::cli::with_output_written(adarun::cli::run(argc, argv, log), log);
  } catch (const adarun::cli::ExitError& error) {
    log.error(error.what());
    return error.status();
  } catch (const std::exception& error) {
    log.error(error.what());
    return adarun::cli::exit_failed;
  }
}
