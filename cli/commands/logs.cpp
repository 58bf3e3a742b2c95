// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <functional>
#include <memory>
#include <set>
#include <stdexcept>

#include "cli/commands/commands.h"
#include "cli/console/user_input.h"
#include "cli/jobs/find_job.h"
#include "cli/jobs/job_dir.h"
#include "cli/logs/collect.h"
#include "cli/logs/log_stream.h"
#include "cli/logs/logs_options.h"
#include "cli/logs/print_files.h"
#include "launcher/base/error.h"
#include "launcher/hosts/expand.h"
#include "monitor/files/log_watch.h"

namespace adarun::cli {
namespace {

using Clock = std::chrono::steady_clock;

// Several logs are always separated, by headings at least.
LogTags tags_for(const LogsOptions& options, std::size_t logs) {
  if (options.tag_output) return LogTags::ranks;
  const std::size_t most = options.ranks.empty() ? logs : options.ranks.size();
  return most > 1 || (options.follow && options.ranks.empty()) ? LogTags::headings : LogTags::none;
}

LineOptions line_options(LogsOptions& options, LogTags tags) {
  return {tags, options.merge, options.since_ms, std::move(options.filter)};
}

void check_ranks(const LogsOptions& options, const monitor::LogWatch& watch, const LogPlaces& places) {
  const std::vector<monitor::LogFile> logs = watch.logs();
  if (logs.empty() && options.ranks.empty()) {
    throw std::runtime_error("nothing to read: " + places.name + ": no log there; looked for " +
                             monitor::looked_for);
  }
  for (const std::uint32_t rank : options.ranks) {
    const bool there =
        std::any_of(logs.begin(), logs.end(), [&](const auto& log) { return log.rank == rank; });
    if (!there)
      throw std::runtime_error("nothing to read: " + places.name + ": no log of rank " +
                               std::to_string(rank));
  }
}

std::set<std::string> names_in(const std::string& list) {
  std::set<std::string> names;
  try {
    for (const std::string_view item : launcher::split_items(list))
      for (std::string& name : launcher::expand_names(item, "--node")) names.insert(std::move(name));
  } catch (const launcher::Error& error) {
    throw Quit(exit_usage, error.what());
  }
  return names;
}

// The ranks of --rank (all if empty) that ran on a host of --node.
std::set<std::uint32_t> ranks_on(const LogsOptions& options, const LogPlaces& places) {
  const auto job = places.job();
  if (!job) throw Quit(exit_failed, "--node: no job.json in " + places.name + " says which ranks ran where");
  const std::set<std::string> wanted = names_in(options.node);
  std::set<std::string> known;
  std::set<std::uint32_t> ranks;
  for (const JobFile::Rank& rank : job->ranks) {
    known.insert(rank.node);
    if (wanted.contains(rank.node) && (options.ranks.empty() || options.ranks.contains(rank.rank)))
      ranks.insert(rank.rank);
  }
  for (const std::string& name : wanted)
    if (!known.contains(name)) throw Quit(exit_usage, "--node " + name + ": no node of job " + job->id);
  if (ranks.empty()) throw Quit(exit_usage, "--rank and --node: none of these ranks ran on " + options.node);
  return ranks;
}

// Prints each log as a whole, one after the other; returns false if the reader is gone.
bool print_whole(monitor::LogWatch& watch, LogPrinter& printer) {
  bool taken = true;
  watch.drain([&](const monitor::LogFile& log, bool, std::string_view bytes) {
    taken = taken && printer.print(log, bytes);
    return taken;
  });
  return taken;
}

// Prints new output until the job ends. `print` prints what is there, sets whether there was any, and returns
// false if the reader is gone.
int follow_logs(const LogPlaces& places, monitor::LogWatch& watch,
                const std::function<bool(bool& news)>& print) {
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
    bool news = false;
    if (!print(news) || (ended && !news)) return exit_done;
    if (input.wait(std::chrono::milliseconds(news ? 0 : 100)) != UserInput::Event::none)
      return exit_interrupted;
  }
}

// Prints whole logs, bytes unchanged.
int print_logs(const LogsOptions& options, const LogPlaces& places, monitor::LogWatch& watch) {
  LogPrinter printer(stdout, tags_for(options, watch.logs().size()));
  int status = exit_done;
  const auto print_new = [&](bool& news) {
    bool taken = true;
    news = watch.poll([&](const monitor::LogFile& log, bool, std::string_view bytes) {
      taken = taken && printer.print(log, bytes);
    });
    return taken;
  };
  if (print_whole(watch, printer) && options.follow) status = follow_logs(places, watch, print_new);
  printer.finish();
  return status;
}

// Prints selected lines, or all lines by time.
int print_lines(LogsOptions& options, const LogPlaces& places, monitor::LogWatch& watch) {
  const bool is_grep = options.filter.has_value();
  const LogTags tags = tags_for(options, watch.logs().size());
  LogStream stream(watch, line_options(options, tags), stdout);
  int status = exit_done;
  if (stream.print_all() && options.follow)
    status = follow_logs(places, watch, [&stream](bool& news) { return stream.print_new(news); });
  stream.finish();
  return status == exit_done && is_grep && !stream.any() ? exit_no : status;
}

int read_here(LogsOptions& options) {
  const LogPlaces places =
      find_logs(options.place.empty() ? std::vector<std::string>{} : std::vector{options.place});
  if (!options.node.empty()) options.ranks = ranks_on(options, places);
  monitor::LogWatch watch(places.places);
  watch.only(options.ranks);
  watch.find();
  const auto job = places.job();
  if (!options.follow || !job || !job->running()) check_ranks(options, watch, places);
  if (options.tail) watch.skip_to_last(*options.tail);
  const bool is_plain = !options.merge && !options.since_ms && !options.filter;
  return is_plain ? print_logs(options, places, watch) : print_lines(options, places, watch);
}

std::vector<launcher::Host> hosts_of(const LogsOptions& options) {
  if (options.place.empty() && has_hosts(options.nodes)) return hosts_in(options.nodes);
  const JobFile job = find_job(options.place);
  std::vector<launcher::Host> hosts = job.hosts;
  if (!options.node.empty()) {
    const std::set<std::string> wanted = names_in(options.node);
    std::erase_if(hosts, [&wanted](const launcher::Host& host) { return !wanted.contains(host.name); });
  }
  if (hosts.empty())
    throw Quit(exit_failed, "job " + job.id + ": its job.json names no nodes" +
                                (options.node.empty() ? "" : " like " + options.node));
  return hosts;
}

int read_there(LogsOptions& options) {
  const std::vector<launcher::Host> hosts = hosts_of(options);
  if (options.collect) return collect_files(hosts, options.nodes, options.paths, options.collect_dir);
  const LogTags tags = options.tag_output ? LogTags::ranks : LogTags::headings;
  return print_files(hosts, options.nodes, options.paths,
                     {line_options(options, tags), options.tail, options.follow});
}

int run_logs(LogsOptions& options) {
  check_usage(options);
  std::signal(SIGPIPE, SIG_IGN);
  if (!options.paths.empty()) return read_there(options);
  return options.collect ? collect_kept(options.place, options.nodes) : read_here(options);
}

}  // namespace

void add_logs(CLI::App& app, Invocation& invocation) {
  const auto options = std::make_shared<LogsOptions>();
  CLI::App* command = app.add_subcommand("logs", "Print the workers' logs of a job, or fetch files of nodes");
  options->nodes.log = &invocation.log;
  const CLI::Option* collect = add_logs_options(*command, *options);
  command->callback([options, collect, &invocation] {
    options->collect = collect->count() > 0;
    invocation.exit_status = run_logs(*options);
  });
}

}  // namespace adarun::cli
