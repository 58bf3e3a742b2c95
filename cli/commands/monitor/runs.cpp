// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/monitor/runs.h"

#include <fcntl.h>

#include <algorithm>
#include <exception>
#include <map>
#include <set>
#include <system_error>
#include <utility>

#include "base/clean_text.h"
#include "base/describe.h"
#include "base/file_descriptor.h"
#include "base/foreign_text.h"
#include "cli/arguments/command.h"
#include "cli/commands/monitor/job_list.h"
#include "cli/jobs/find_job.h"
#include "launcher/record/job_file.h"
#include "launcher/record/job_index.h"
#include "monitor/base/error.h"
#include "monitor/files/log_watch.h"
#include "monitor/parse/text_decoder.h"
#include "monitor/parse/unread_format.h"

namespace adarun::cli {
namespace {

namespace fs = std::filesystem;
namespace web = monitor::web;

constexpr std::size_t most_listed = 50;  // of the jobs in the index, the newest

fs::path metrics_beside(const std::vector<fs::path>& places) {
  return places.size() == 1 && fs::is_directory(places[0]) ? places[0] / "metrics.jsonl" : fs::path();
}

AskedRun asked_run(LogPlaces logs, const fs::path& metrics) {
  AskedRun run{{}, std::move(logs), metrics};
  run.earlier = earlier_runs(run.logs);
  const auto job = run.logs.job();
  run.id = job && !job->id.empty() ? job->id : run.logs.name;
  if (run.metrics.empty()) run.metrics = metrics_beside(run.logs.places);
  return run;
}

// The id of the job whose log or log folder this is; empty if not known.
std::string job_id_at(const fs::path& place) {
  return launcher::job_id_in(fs::is_directory(place) ? place : place.parent_path());
}

// Groups the places by job. Places without a known job, such as the folders that msrun writes on each node,
// form one run.
std::vector<LogPlaces> by_job(const std::vector<std::string>& places) {
  std::vector<std::string> ids;
  std::vector<LogPlaces> jobs;
  for (const std::string& place : places) {
    const LogPlaces found = find_logs({place});
    const std::string id = job_id_at(found.places[0]);
    const auto at = static_cast<std::size_t>(std::find(ids.begin(), ids.end(), id) - ids.begin());
    if (at == ids.size()) {
      ids.push_back(id);
      jobs.push_back(found);
    } else {
      jobs[at].places.push_back(found.places[0]);
      jobs[at].name += " " + found.name;
    }
  }
  return jobs;
}

const AskedRun* find_asked(const std::vector<AskedRun>& asked, const std::string& id) {
  const auto found =
      std::find_if(asked.begin(), asked.end(), [&](const AskedRun& run) { return run.id == id; });
  return found == asked.end() ? nullptr : &*found;
}

// The job.json of a folder whose path has no link in it: who may write to the folder puts none there, for
// others see what it says.
std::optional<JobFile> served_job(const fs::path& folder) {
  const base::FileDescriptor opened = base::open_no_links(folder.string(), O_PATH | O_DIRECTORY);
  return opened ? readable_job("/proc/self/fd/" + std::to_string(opened.get())) : std::nullopt;
}

// The path without links; those parts that do not exist, or cannot be looked at, stay as they are.
fs::path without_links(const fs::path& path) {
  std::error_code error;
  fs::path named = fs::weakly_canonical(fs::absolute(path), error);
  return error ? path : named;
}

std::vector<web::JobEntry> list_jobs(const std::vector<AskedRun>& asked, JobList& index) {
  std::vector<web::JobEntry> entries;
  std::set<std::string> present;  // Of the attempts that have the folders of `asked` now.
  for (const AskedRun& run : asked) {
    const auto job = run.logs.places.size() == 1 ? served_job(run.logs.places[0]) : std::nullopt;
    entries.push_back(job ? entry_of(*job) : web::JobEntry{});
    if (job) present.insert(job->id);
    entries.back().id = run.id;
    if (entries.back().name.empty()) entries.back().name = run.logs.name;
  }
  for (web::JobEntry& job : index.read()) {
    if (entries.size() == asked.size() + most_listed) break;
    if (find_asked(asked, job.id) == nullptr && !present.contains(job.id)) entries.push_back(std::move(job));
  }
  return entries;
}

// A job of the index that was listed. Throws monitor::Error if it is gone.
JobFile listed_job(const std::string& id) {
  if (auto job = readable_job(launcher::job_index() / id)) return *job;
  throw monitor::Error("no job " + id + " any more");
}

fs::path folder_of(const JobFile& job) {
  fs::path folder = log_dir_of(job);
  if (!fs::is_directory(folder))
    throw monitor::Error("the log folder of job " + job.id + ", " + folder.string() + ", is gone");
  return folder;
}

// What job.json says in the folder of a listed job: of that attempt, or of a later one that has the folder
// now.
std::optional<JobFile> job_in_folder_of(const JobFile& job) {
  auto present = served_job(without_links(log_dir_of(job)));
  return present && first_id_of(*present) == first_id_of(job) ? present : job;
}

// None where job.json cannot be read.
std::vector<EarlierRun> readable_earlier_runs(const LogPlaces& logs) {
  try {
    return earlier_runs(logs);
  } catch (const std::exception&) {
    return {};
  }
}

const JobFile::Rank* rank_in(const JobFile& job, std::uint32_t rank) {
  if (rank < job.ranks.size() && job.ranks[rank].rank == rank) return &job.ranks[rank];
  const auto found = std::ranges::find(job.ranks, rank, &JobFile::Rank::rank);
  return found == job.ranks.end() ? nullptr : &*found;
}

web::JobFacts facts_of(const JobFile& job) {
  const std::string title = (job.name.empty() ? "" : job.name + ": ") + short_command_of(job);
  web::JobFacts facts{job.state, job.began_ns, job.world_size, title, {}, {}};
  facts.first_id = first_id_of(job);
  facts.attempt = attempt_of(job);
  for (const JobFile::Rank& rank : job.ranks) {
    facts.ranks[rank.rank] = rank_state(job, rank);
    facts.nodes[rank.rank] = rank.node;
  }
  return facts;
}

// What a log is that holds no text, else see monitor::unread_format_in(); empty if the log cannot be read.
std::string unread_format_of(const fs::path& log) {
  try {
    std::string bytes;
    monitor::FileTail(log).read(bytes, 256U << 10U);
    const auto kind = base::binary_kind(bytes);
    if (kind && kind->name != "UTF-16 text")
      return log.filename().string() + " is " + std::string(kind->name) +
             (kind->advice.empty() ? "" : ": " + std::string(kind->advice));
    return base::clean_line(monitor::unread_format_in(monitor::TextDecoder().read(bytes)));
  } catch (const monitor::Error&) {
    return {};
  }
}

// With `patterns` as further formats of loss lines. Throws ExitError if there is no log, or no loss in any.
ReadRun read_run(const AskedRun& asked, std::vector<monitor::LinePattern> patterns) {
  const auto nothing = [&](const std::string& why) {
    return ExitError(exit_failed, "nothing to read: " + asked.logs.name + ": " + why);
  };
  monitor::LogWatch watch(asked.logs.places);
  if (!watch.find() && asked.earlier.empty())
    throw nothing(std::string("no log there; looked for ") + monitor::looked_for);
  const std::optional<JobFile> job = asked.logs.job();
  ReadRun read{asked.id,
               job && !job->name.empty() ? job->called() : asked.id,
               std::make_unique<monitor::Run>(),
               job,
               asked.logs.places,
               std::move(patterns),
               asked.earlier};
  monitor::Run& run = *read.run;
  if (!read.patterns.empty()) run.read_also(read.patterns);
  read_earlier(
      asked.earlier, [&run](std::uint32_t rank, std::string_view bytes) { run.feed(rank, bytes); },
      [&run](std::uint64_t number, const std::string& change) { run.next_attempt(number, change); });
  if (read.job) run.expect(read.job->world_size);
  for (const monitor::LogFile& log : watch.logs()) run.set_state(log.rank, monitor::ProcessState::unknown);
  if (read.job)
    for (const JobFile::Rank& rank : read.job->ranks) run.set_state(rank.rank, rank_state(*read.job, rank));
  watch.stop_at_present_ends();
  while (watch.poll([&run](const monitor::LogFile& log, bool anew, std::string_view bytes) {
    if (anew) run.restart(log.rank);
    run.feed(log.rank, bytes);
  })) {
  }
  for (const monitor::LogFile& log : watch.logs()) {
    run.finish(log.rank);
    run.set_written(log.rank, monitor::written_ms(log.path));
  }
  if (!run.has_loss()) throw nothing(no_loss_line(watch));
  return read;
}

}  // namespace

void AskedRun::name_without_links() {
  const bool is_beside = metrics == metrics_beside(logs.places);
  for (fs::path& place : logs.places) place = without_links(place);
  metrics = is_beside ? metrics_beside(logs.places) : without_links(metrics);
}

monitor::ProcessState rank_state(const JobFile& job, const JobFile::Rank& rank) {
  using monitor::ProcessState;
  static const std::map<std::string, ProcessState> states{
      {"waiting", ProcessState::waiting}, {"running", ProcessState::running}, {"done", ProcessState::done},
      {"failed", ProcessState::failed},   {"stopped", ProcessState::stopped}, {"lost", ProcessState::lost}};
  const auto found = states.find(rank.state == "running" && job.state == "lost" ? "lost" : rank.state);
  return found == states.end() ? ProcessState::unknown : found->second;
}

std::vector<AskedRun> asked_runs(const std::vector<std::string>& places, bool each,
                                 const std::string& metrics) {
  if (places.empty()) return {asked_run(find_logs({}), metrics)};
  std::vector<LogPlaces> logs;
  if (!each)
    logs = by_job(places);
  else
    for (const std::string& place : places) logs.push_back(find_logs({place}));
  std::vector<AskedRun> runs;
  runs.reserve(logs.size());
  for (LogPlaces& one : logs) runs.push_back(asked_run(std::move(one), runs.empty() ? metrics : ""));
  for (AskedRun& run : runs)
    if (std::any_of(run.earlier.begin(), run.earlier.end(),
                    [&runs](const EarlierRun& before) { return find_asked(runs, before.id) != nullptr; }))
      run.show_last_attempt();
  return runs;
}

std::string node_of(const std::optional<JobFile>& job, std::uint32_t rank) {
  const JobFile::Rank* its = job ? rank_in(*job, rank) : nullptr;
  return its == nullptr ? "" : its->node;
}

std::string node_and_role_of(const std::optional<JobFile>& job, std::uint32_t rank) {
  const JobFile::Rank* its = job ? rank_in(*job, rank) : nullptr;
  if (its == nullptr) return "";
  return its->role.empty() ? its->node : its->node + " (" + its->role + ")";
}

std::string no_loss_line(const monitor::LogWatch& watch) {
  constexpr std::size_t most_logs = 4;
  std::string text = "no loss line in " + base::counted(watch.size(), "log");
  const std::vector<monitor::LogFile> logs = watch.logs();
  for (std::size_t i = 0; i < std::min(logs.size(), most_logs); ++i) {
    const std::string hint = unread_format_of(logs[i].path);
    if (!hint.empty()) return text + "; " + hint;
  }
  return text;
}

std::vector<ReadRun> read_runs(const std::vector<AskedRun>& asked,
                               const std::vector<monitor::LinePattern>& patterns) {
  std::vector<ReadRun> runs;
  std::map<std::string, int> named;
  for (const AskedRun& one : asked) {
    runs.push_back(read_run(one, patterns));
    ++named[runs.back().label];
  }
  for (ReadRun& run : runs)
    if (named[run.label] > 1) run.label = run.id;
  return runs;
}

web::JobSource job_source(const std::vector<AskedRun>& asked, std::vector<monitor::LinePattern> patterns) {
  web::JobSource source;
  source.list = [&asked, index = std::make_shared<JobList>()] { return list_jobs(asked, *index); };
  source.open = [&asked, patterns = std::move(patterns)](const std::string& id) {
    const AskedRun* run = find_asked(asked, id);
    const LogPlaces logs = run ? run->logs : find_logs({without_links(folder_of(listed_job(id))).string()});
    auto watched =
        std::make_unique<web::WatchedRun>(logs.places, run ? run->metrics : metrics_beside(logs.places));
    if (!patterns.empty()) watched->read_also(patterns);
    if ((run ? run : &asked.front())->is_whole) watched->read_first(readable_earlier_runs(logs));
    return watched;
  };
  source.facts = [&asked](const std::string& id) -> web::JobFacts {
    std::optional<JobFile> job;
    if (const AskedRun* run = find_asked(asked, id))
      job = run->logs.places.size() == 1 ? served_job(run->logs.places[0]) : std::nullopt;
    else if (const auto listed = readable_job(launcher::job_index() / id))
      job = job_in_folder_of(*listed);
    return job ? facts_of(*job) : web::JobFacts{};
  };
  return source;
}

}  // namespace adarun::cli
