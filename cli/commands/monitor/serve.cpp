// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/monitor/modes.h"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "base/clean_text.h"
#include "base/random_digits.h"
#include "cli/arguments/command.h"
#include "cli/arguments/option_values.h"
#include "cli/console/user_input.h"
#include "monitor/base/error.h"
#include "monitor/files/log_files.h"
#include "monitor/view/view_state.h"
#include "monitor/web/access_policy.h"
#include "monitor/web/http_server.h"

namespace adarun::cli {
namespace {

namespace web = monitor::web;
using Clock = web::RunRegistry::Clock;

// The URL for the user, with the token; if all addresses of this machine are served, with its host name.
std::string address_to_open(const web::HttpServerOptions& options, const std::string& url) {
  std::string open = url;
  if (options.address.host == "0.0.0.0" || options.address.host == "::") {
    std::array<char, 256> name{};
    gethostname(name.data(), name.size() - 1);
    open = "http://" + std::string(name.data()) + url.substr(url.rfind(':'));
  }
  return options.token.empty() ? open : open + "?token=" + options.token;
}

// Reads for up to a second before the address is printed, so that a first request finds logs of usual size
// read completely. Larger ones are read further while the page is served.
void read_at_first(web::RunRegistry& registry) {
  constexpr std::chrono::seconds most(1);
  const Clock::time_point end = Clock::now() + most;
  while (registry.poll(Clock::now()) && Clock::now() < end) {
  }
}

void tell(const web::HttpServerOptions& options, const std::string& text) {
  if (options.log != nullptr) options.log->debug(text);
}

// Says which logs the page does not show because they are links.
void name_left_out(const AskedRun& run) {
  const auto any = monitor::logs_at(run.logs.places);
  const auto shown = monitor::logs_at(run.logs.places, monitor::Links::refused);
  for (const monitor::LogFile& log : any)
    if (std::ranges::find(shown, log.path, &monitor::LogFile::path) == shown.end()) {
      std::fprintf(stderr, "adarun: %s: not shown, as a symbolic link is in its path below %s\n",
                   base::clean_line(log.path.string()).c_str(), base::clean_line(run.logs.name).c_str());
      return;
    }
}

bool has_quit(const std::vector<monitor::Key>& keys) {
  return std::ranges::any_of(
      keys, [](const monitor::Key& key) { return key.character == 'q' || key.character == 'Q'; });
}

int watch(web::RunRegistry& registry, const web::HttpServerOptions& options) {
  // Before any threads, so that they inherit its signal mask. Where stdout is no terminal, the keys are for
  // whoever reads it.
  UserInput input(isatty(STDOUT_FILENO) != 0 ? UserInput::Keys::read : UserInput::Keys::leave);
  monitor::KeyReader keys;
  const web::HttpServer server(registry, options);
  tell(options, "serving at " + server.url());
  read_at_first(registry);
  std::printf("%s\n", address_to_open(options, server.url()).c_str());
  std::fflush(stdout);
  std::fprintf(stderr, "adarun: serving the page there until Ctrl-C\n");
  for (;;) {
    const bool news = registry.poll(Clock::now());
    const auto event = input.wait(std::chrono::milliseconds(news ? 1 : 100));
    const bool is_told = event == UserInput::Event::interrupt;
    if (!is_told && !has_quit(event == UserInput::Event::keys ? keys.feed(input.typed()) : keys.finish()))
      continue;
    tell(options, is_told ? "told to end" : "a key ends it");
    return is_told ? exit_interrupted : exit_done;
  }
}

}  // namespace

void add_serve_options(CLI::App& command, ServeOptions& options) {
  add_text(command, "--serve", options.address, "ADDRESS:PORT",
           "Serve a page in a browser, at e.g. 127.0.0.1:0 (0: any free port). It asks for a token, which "
           "is in the address that is printed");
  command
      .add_flag(
          "--open", options.open,
          "With --serve on a loopback address: ask for no token, so that every user of this machine can "
          "open the page")
      ->needs("--serve");
  add_number(command, "--viewers", options.most_viewers, {1, 1000},
             "With --serve: pages that are kept up to date at once (default " +
                 std::to_string(options.most_viewers) + ")")
      ->needs("--serve");
  add_text(command, "--log-file", options.log_file, "FILE",
           "With --serve: write down each request and what goes wrong; at most 16 MiB are kept")
      ->needs("--serve");
}

int serve_page(std::vector<AskedRun> asked, std::vector<monitor::LinePattern> patterns,
               const ServeOptions& options) {
  const auto address =
      or_exit<monitor::Error>(exit_usage, [&] { return web::parse_listen_address(options.address); });
  web::HttpServerOptions server{address, "", options.most_viewers, options.log};
  if (options.open && !server.address.is_loopback())
    throw ExitError(exit_usage, "--open: " + server.address.host +
                                    " can be reached from other machines, where the page asks for a token");
  if (!options.open) server.token = base::random_digits();
  if (options.log != nullptr) {
    options.log->hide(server.token);
    if (!options.log_file.empty()) options.log->open_file(options.log_file);
  }
  for (AskedRun& run : asked) {
    tell(server, "shows " + run.id);
    run.name_without_links();
    name_left_out(run);
  }
  std::vector<std::string> shown;
  shown.reserve(asked.size());
  for (const AskedRun& run : asked) shown.push_back(run.id);
  web::RunRegistry registry(job_source(asked, std::move(patterns)), shown);
  return watch(registry, server);
}

}  // namespace adarun::cli
