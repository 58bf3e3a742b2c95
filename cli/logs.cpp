// SPDX-License-Identifier: Apache-2.0
#include "cli/logs.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <memory>
#include <optional>
#include <set>
#include <stdexcept>

#include "cli/collect_kept.h"
#include "cli/job_dir.h"
#include "cli/log_printer.h"
#include "cli/user_input.h"
#include "monitor/files/log_watch.h"

namespace adarun::cli {
namespace {

using Clock = std::chrono::steady_clock;

constexpr const char* examples = R"(
Without an argument it reads ./log_output; a folder is read as by `adarun monitor`.

Examples:
  adarun logs --rank 3                       the log of rank 3
  adarun logs --tail 5                       the last 5 lines of each rank
  adarun logs --follow --tag-output          every rank's lines as they come, until the job ends
  adarun logs 20261121-010203 --rank 0,8     two ranks of a job by its id
  adarun logs 20261121-010203 --collect      what agents could not deliver of a job whose supervisor has died

Exit status: 0 done, 2 wrong usage, 3 nothing to read, 130 ended by Ctrl-C.)";

struct LogsOptions {
  std::string place;
  std::vector<std::uint32_t> ranks;
  std::optional<std::uint64_t> tail;
  bool follow = false;
  bool tag_output = false;
  bool collect = false;
  NodeOptions nodes;
};

// A tag is wanted or not; logs of several ranks are never run together without a word.
LogTags tags_for(const LogsOptions& options, std::size_t logs) {
  if (options.tag_output) return LogTags::ranks;
  const std::size_t most = options.ranks.empty() ? logs : options.ranks.size();
  return most > 1 || (options.follow && options.ranks.empty()) ? LogTags::headings : LogTags::none;
}

void check_ranks(const LogsOptions& options, const monitor::LogWatch& watch, const LogPlaces& places) {
  const std::vector<monitor::LogFile> logs = watch.logs();
  if (logs.empty() && options.ranks.empty()) {
    throw std::runtime_error("nothing to read: " + places.name +
                             ": no log there; looked for worker_<rank>.log, " +
                             "device<i>/log* and node<s>/device<i>/train.log");
  }
  for (const std::uint32_t rank : options.ranks) {
    const bool there =
        std::any_of(logs.begin(), logs.end(), [&](const auto& log) { return log.rank == rank; });
    if (!there)
      throw std::runtime_error("nothing to read: " + places.name + ": no log of rank " +
                               std::to_string(rank));
  }
}

// Each log whole, one after the other; false when nobody reads any more.
bool print_all(monitor::LogWatch& watch, LogPrinter& printer) {
  bool taken = true;
  watch.drain([&](const monitor::LogFile& log, bool, std::string_view bytes) {
    taken = taken && printer.print(log, bytes);
    return taken;
  });
  return taken;
}

int follow(const LogPlaces& places, monitor::LogWatch& watch, LogPrinter& printer) {
  UserInput input(UserInput::Keys::leave);
  Clock::time_point next_look{};
  bool ended = false;
  for (;;) {
    if (Clock::now() >= next_look) {
      next_look = Clock::now() + std::chrono::milliseconds(500);
      watch.find();
      const auto job = places.job();
      ended = job && !job->running();
    }
    bool taken = true;
    const bool news = watch.poll([&](const monitor::LogFile& log, bool, std::string_view bytes) {
      taken = taken && printer.print(log, bytes);
    });
    if (!taken || (ended && !news)) return exit_done;
    if (input.wait(std::chrono::milliseconds(news ? 0 : 100)) != UserInput::Event::none)
      return exit_interrupted;
  }
}

int run(const LogsOptions& options) {
  if (options.collect) return collect_kept(options.place, options.nodes);
  signal(SIGPIPE, SIG_IGN);
  const LogPlaces places =
      find_logs(options.place.empty() ? std::vector<std::string>{} : std::vector{options.place});
  monitor::LogWatch watch(places.places);
  watch.only({options.ranks.begin(), options.ranks.end()});
  watch.find();
  const auto job = places.job();
  if (!options.follow || !job || !job->running()) check_ranks(options, watch, places);
  if (options.tail) watch.skip_to_last(*options.tail);
  LogPrinter printer(stdout, tags_for(options, watch.logs().size()));
  int status = exit_done;
  if (print_all(watch, printer) && options.follow) status = follow(places, watch, printer);
  printer.finish();
  return status;
}

}  // namespace

void add_logs(CLI::App& app, Invocation& invocation) {
  const auto options = std::make_shared<LogsOptions>();
  CLI::App* command = app.add_subcommand("logs", "Print the workers' logs of a job");
  command->add_option("place", options->place, "A log folder, log file or job id")->type_name("JOB|DIR|FILE");
  command->add_option("--rank", options->ranks, "Only these ranks")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("N[,N..]");
  command->add_option("--tail", options->tail, "Only the last N lines of each")->type_name("N");
  command->add_flag("-f,--follow", options->follow, "Go on as the logs grow, until the job ends");
  command->add_flag("--tag-output", options->tag_output, "Put [rank] before each line");
  command->add_flag("--collect", options->collect,
                    "Fetch from the nodes what their agents could not deliver before they had to end");
  add_node_options(*command, options->nodes);
  command->footer(examples);
  command->callback([options, &invocation] { invocation.exit_status = run(*options); });
}

}  // namespace adarun::cli
