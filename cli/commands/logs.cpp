// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <stdexcept>

#include "base/clean_text.h"
#include "cli/commands/commands.h"
#include "cli/console/user_input.h"
#include "cli/jobs/find_job.h"
#include "cli/jobs/job_dir.h"
#include "cli/logs/collect.h"
#include "cli/logs/log_printer.h"
#include "cli/logs/logs_options.h"
#include "cli/logs/node_files.h"
#include "launcher/hosts/name_ranges.h"
#include "monitor/files/log_watch.h"

namespace adarun::cli {
namespace {

using Clock = std::chrono::steady_clock;

/// One of the places that are read, one after the other.
struct ReadPlace {
  std::vector<std::string> argument;  ///< As of find_logs.
  std::string name;                   ///< Before each log; empty: there is only one place.
  bool is_first = true;
  bool is_last = true;
};

// Several logs are always separated, by headings at least.
LogTags tags_for(const LogsOptions& options, const ReadPlace& place, std::size_t logs) {
  if (options.tag_output) return LogTags::ranks;
  if (!place.name.empty()) return LogTags::headings;
  const std::size_t most = options.ranks.empty() ? logs : options.ranks.size();
  return most > 1 || (options.follow && options.ranks.empty()) ? LogTags::headings : LogTags::none;
}

LineOptions line_options(const LogsOptions& options, LogTags tags) {
  LineOptions lines{tags, options.merge, options.since_ms, {}};
  if (options.pattern) lines.filter.emplace(*options.pattern);
  return lines;
}

LogNames names_at(const ReadPlace& place, const LogPlaces& places) {
  LogNames names = place.name.empty() ? own_names() : names_of_job(place.name);
  names.proceed = !place.name.empty() && !place.is_first;
  std::map<std::uint32_t, std::string> roles;
  if (const auto job = places.job())
    for (const JobFile::Rank& rank : job->ranks)
      if (!rank.role.empty()) roles.emplace(rank.rank, base::clean_line(rank.role));
  return roles.empty() ? names : with_roles(names, std::move(roles));
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
  or_exit(exit_usage, [&] {
    for (const std::string_view item : launcher::split_items(list))
      for (std::string& name : launcher::expand_names(item, "--node")) names.insert(std::move(name));
  });
  return names;
}

void require_known(const std::set<std::string>& wanted, const std::set<std::string>& known,
                   const std::string& option, const std::string& what) {
  for (const std::string& name : wanted)
    if (!known.contains(name)) throw ExitError(exit_usage, option + " " + name + ": no " + what);
}

// The ranks of --rank (all if empty) that ran on a host of --node and have a role of --role.
std::set<std::uint32_t> chosen_ranks(const LogsOptions& options, const LogPlaces& places) {
  const auto job = places.job();
  if (!job)
    throw ExitError(exit_failed, std::string(options.node.empty() ? "--role" : "--node") +
                                     ": no job.json in " + places.name + " says which ranks ran where");
  const std::set<std::string> nodes = options.node.empty() ? std::set<std::string>() : names_in(options.node);
  const auto is_chosen = [](const auto& wanted, const auto& of) {
    return wanted.empty() || wanted.contains(of);
  };
  std::set<std::string> known_nodes;
  std::set<std::string> known_roles;
  std::set<std::uint32_t> ranks;
  for (const JobFile::Rank& rank : job->ranks) {
    known_nodes.insert(rank.node);
    known_roles.insert(rank.role);
    if (is_chosen(nodes, rank.node) && is_chosen(options.roles, rank.role) &&
        is_chosen(options.ranks, rank.rank))
      ranks.insert(rank.rank);
  }
  require_known(nodes, known_nodes, "--node", "node of job " + job->id);
  require_known(options.roles, known_roles, "--role", "role of job " + job->id);
  if (ranks.empty())
    throw ExitError(exit_usage, options.roles.empty()
                                    ? "--rank and --node: none of these ranks ran on " + options.node
                                    : "--role: no rank of it is among those of --rank and --node");
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

// Prints new output until the job ends, with that of further attempts. `print` prints what is there, sets
// whether there was any, and returns false if the reader is gone.
int follow_logs(UserInput& input, const LogPlaces& places, monitor::LogWatch& watch,
                const std::function<bool(bool& news)>& print) {
  Clock::time_point next_look{};
  std::string id;
  bool ended = false;
  for (;;) {
    if (Clock::now() >= next_look) {
      next_look = Clock::now() + std::chrono::milliseconds(500);
      const auto job = places.job();
      if (job && (id.empty() || continues_from(*job, id))) id = job->id;
      if (job && job->id != id) return exit_done;  // Another job's logs have this folder now.
      if (id.empty())
        watch.find();
      else
        watch.find_again();
      ended = job && !may_write_to(places.places.front(), *job);
    }
    bool news = false;
    if (!print(news) || (ended && !news)) return exit_done;
    if (input.wait(std::chrono::milliseconds(news ? 0 : 100)) != UserInput::Event::none)
      return exit_interrupted;
  }
}

// Prints whole logs, bytes unchanged.
int print_logs(const LogsOptions& options, const ReadPlace& place, const LogPlaces& places,
               monitor::LogWatch& watch) {
  std::optional<UserInput> input;  // Until the last output.
  LogPrinter printer(stdout, tags_for(options, place, watch.logs().size()), names_at(place, places));
  int status = exit_done;
  const auto print_new = [&](bool& news) {
    bool taken = true;
    news = watch.poll([&](const monitor::LogFile& log, bool anew, std::string_view bytes) {
      if (anew) printer.begin_anew(log);
      taken = taken && printer.print(log, bytes);
    });
    return taken;
  };
  if (print_whole(watch, printer) && options.follow)
    status = follow_logs(input.emplace(UserInput::Keys::leave), places, watch, print_new);
  printer.finish();
  return status;
}

// Prints selected lines, or all lines by time.
int print_lines(const LogsOptions& options, const ReadPlace& place, const LogPlaces& places,
                monitor::LogWatch& watch) {
  const bool is_grep = options.pattern.has_value();
  const LogTags tags = tags_for(options, place, watch.logs().size());
  std::optional<UserInput> input;  // Until the last output.
  LogStream stream(watch, line_options(options, tags), stdout, names_at(place, places));
  int status = exit_done;
  if (stream.print_all() && options.follow)
    status = follow_logs(input.emplace(UserInput::Keys::leave), places, watch,
                         [&stream](bool& news) { return stream.print_new(news); });
  stream.finish();
  return status == exit_done && is_grep && !stream.any() ? exit_no : status;
}

// For people at a terminal, who may look for what a job printed before it was started again.
void mention_attempts(const LogsOptions& options, const std::optional<JobFile>& job) {
  const bool is_asked = options.attempts || !job || job->earlier.empty();
  if (is_asked || isatty(STDOUT_FILENO) == 0 || isatty(STDERR_FILENO) == 0) return;
  options.nodes.log->warning("this is attempt " + std::to_string(attempt_of(*job)) +
                             "; --attempts prints the logs of earlier ones, too");
}

int read_place(LogsOptions options, const ReadPlace& place) {
  options.follow = options.follow && place.is_last;
  const LogPlaces places = find_logs(place.argument);
  if (options.chooses_by_job()) options.ranks = chosen_ranks(options, places);
  monitor::LogWatch watch(places.places);
  watch.only(options.ranks);
  watch.find();
  const auto job = places.job();
  if (!options.follow || !job || !job->running()) check_ranks(options, watch, places);
  if (options.tail) watch.skip_to_last(*options.tail);
  const bool is_plain = !options.merge && !options.since_ms && !options.pattern;
  const int status =
      is_plain ? print_logs(options, place, places, watch) : print_lines(options, place, places, watch);
  if (status != exit_interrupted) mention_attempts(options, job);
  return status;
}

// The attempts at a job whose logs are there, the first one first.
std::vector<ReadPlace> attempts_at(const std::vector<std::string>& argument) {
  const LogPlaces last = find_logs(argument);
  const auto job = last.job();
  std::vector<ReadPlace> places;
  for (std::size_t i = 0; job && i < job->earlier.size(); ++i) {
    const std::string folder = log_dir_of(job->earlier[i], *job, last.places[0]).string();
    if (!folder.empty())
      places.push_back({{folder}, "attempt " + std::to_string(i + 1), places.empty(), false});
  }
  places.push_back({argument, "", places.empty(), true});
  if (places.size() > 1) places.back().name = "attempt " + std::to_string(attempt_of(*job));
  return places;
}

std::vector<ReadPlace> places_of(const LogsOptions& options) {
  if (options.attempts) return attempts_at(options.places);
  if (options.places.size() < 2) return {{options.places, ""}};
  std::vector<ReadPlace> places;
  for (const std::string& place : options.places) places.push_back({{place}, place, places.empty(), false});
  places.back().is_last = true;
  return places;
}

// Reads several places, one after the other. What cannot be read is reported; the status is that of the first
// failure, else 1 if no line of any place matched. An attempt need not have the ranks that are asked for, if
// another one has.
int read_each(const LogsOptions& options, const std::vector<ReadPlace>& places) {
  int first_failure = exit_done;
  std::string last_message;
  bool is_any_read = false;
  bool any = false;
  const bool may_lack = options.attempts && (!options.ranks.empty() || options.chooses_by_job());
  const auto report = [&](const std::exception& error, int status) {
    std::fflush(stdout);
    if (first_failure == exit_done) first_failure = status;
    last_message = error.what();
    if (!may_lack) options.nodes.log->error(error.what());
  };
  for (const ReadPlace& place : places) {
    try {
      const int status = read_place(options, place);
      if (status == exit_interrupted) return status;
      any = status == exit_done || any;
      is_any_read = true;
    } catch (const ExitError& error) {
      report(error, error.status());
    } catch (const std::exception& error) {
      report(error, exit_failed);
    }
  }
  if (may_lack && !is_any_read) options.nodes.log->error(last_message);
  const bool has_failed = first_failure != exit_done && (!may_lack || !is_any_read);
  return has_failed ? first_failure : (any ? exit_done : exit_no);
}

std::vector<launcher::Host> hosts_of(const LogsOptions& options) {
  if (options.places.empty() && has_hosts(options.nodes)) return hosts_in(options.nodes);
  const JobFile job = find_job(only_place(options));
  std::vector<launcher::Host> hosts = job.hosts;
  if (!options.node.empty()) {
    const std::set<std::string> wanted = names_in(options.node);
    std::erase_if(hosts, [&wanted](const launcher::Host& host) { return !wanted.contains(host.name); });
  }
  if (hosts.empty())
    throw ExitError(exit_failed, job.title() + ": its job.json names no nodes" +
                                     (options.node.empty() ? "" : " like " + options.node));
  return hosts;
}

int read_there(const LogsOptions& options) {
  const std::vector<launcher::Host> hosts = hosts_of(options);
  if (options.collect) return collect_files(hosts, options);
  return print_files(hosts, options,
                     line_options(options, options.tag_output ? LogTags::ranks : LogTags::headings));
}

int run_logs(const LogsOptions& options) {
  check_usage(options);
  std::signal(SIGPIPE, SIG_IGN);
  if (!options.paths.empty()) return read_there(options);
  if (options.collect) return collect_kept(only_place(options), options.nodes);
  const std::vector<ReadPlace> places = places_of(options);
  return places.size() > 1 ? read_each(options, places) : read_place(options, places.front());
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
