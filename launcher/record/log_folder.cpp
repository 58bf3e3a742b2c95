// SPDX-License-Identifier: Apache-2.0
#include "launcher/record/log_folder.h"

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <exception>
#include <nlohmann/json.hpp>

#include "base/clean_text.h"
#include "base/wall_clock.h"
#include "launcher/base/error.h"
#include "launcher/job/ranks.h"
#include "launcher/record/files.h"

namespace adarun::launcher {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

constexpr mode_t private_mode = 0600;
// How many of the last lines of the rank that failed first are shown.
constexpr std::size_t tail_lines = 20;
// Trailing spaces in earlier versions of job.json reserve room for the final one, in case the disk is full by
// then.
constexpr std::size_t spare_bytes = 1024;
constexpr std::size_t spare_bytes_per_rank = 384;

// Ranks may print bytes that are not UTF-8; JSON must be UTF-8.
std::string line_of(const char* event, const ordered_json& fields) {
  ordered_json json{{"time_ns", base::now_ns()}, {"event", event}};
  json.update(fields);
  return base::escape_controls(json.dump(-1, ' ', false, ordered_json::error_handler_t::replace)) + "\n";
}

bool is_removed(int folder) {
  struct stat facts {};
  return fstat(folder, &facts) == 0 && facts.st_nlink == 0;
}

bool is_start_failure(const Failure& failure) {
  using Kind = Failure::Kind;
  return failure.kind == Kind::could_not_start || failure.kind == Kind::not_executable ||
         failure.kind == Kind::not_found;
}

}  // namespace

std::string masked(const std::string& variable) {
  constexpr std::array<std::string_view, 5> secret_words{"TOKEN", "SECRET", "KEY", "PASSWORD",
                                                         "PMIX_NAMESPACE"};
  const std::size_t equals = variable.find('=');
  if (equals == std::string::npos) return variable;
  std::string name = variable.substr(0, equals);
  std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::toupper(c); });
  const bool secret = std::any_of(secret_words.begin(), secret_words.end(), [&](std::string_view word) {
    return name.find(word) != std::string::npos;
  });
  return secret ? variable.substr(0, equals) + "=***" : variable;
}

LogFolder::LogFolder(fs::path folder, const fs::path& index, const Plan& plan, LogFolderOptions options)
    : folder_(std::move(folder)),
      earlier_(folder_, options.held),
      opened_(open_output_folder(folder_)),
      index_(index.empty() ? index : index / plan.job_id),
      plan_(plan),
      supervisor_(std::move(options.supervisor)),
      began_ns_(base::now_ns()),
      log_limit_(options.log_limit),
      states_(plan) {
  lock_opened_folder(opened_.fd(), folder_);
  JobReport report{std::vector<RankRecord>(plan.world_size()), {}, {}};
  try {
    write_state(report, {"running", folder_.string()});
    open_files();
  } catch (const Error& broken) {
    report.failures.push_back(job_failure(Failure::Kind::broken, broken.what()));
    finish(report);
    throw;
  }
}

void LogFolder::open_files() {
  events_ = create_file(opened_, "events.jsonl", shared_mode);
  if (!plan_.earlier.empty()) add_attempt();
  for (std::uint32_t rank = 0; rank < plan_.world_size(); ++rank)
    logs_.emplace_back(opened_, "worker_" + std::to_string(rank) + ".log", log_limit_);
  times_.emplace(opened_, plan_.world_size(),
                 log_limit_ ? std::optional(RankLog::beginning_of(*log_limit_)) : std::nullopt);
  replace_file(opened_, "rank_table.json", plan_.rank_table());
}

void LogFolder::add_attempt() {
  const EarlierAttempt& before = plan_.earlier.back();
  add_event(line_of("attempt", {{"attempt", plan_.earlier.size() + 1},
                                {"first_job_id", plan_.earlier.front().job_id},
                                {"before", before.job_id},
                                {"failure", before.failure},
                                {"change", before.change}}));
}

std::vector<std::string> LogFolder::last_lines(std::uint32_t rank) const {
  try {
    return logs_.at(rank).last_lines(tail_lines);
  } catch (const Error&) {
    return {};
  }
}

void LogFolder::on_greeted(std::uint32_t node, const protocol::Hello& hello) {
  add_event(line_of("connected", {{"node", plan_.nodes[node].host.name},
                                  {"node_time_ns", hello.time_ns},
                                  {"hostname", hello.hostname},
                                  {"agent_pid", hello.pid}}));
}

void LogFolder::on_lost(std::uint32_t node, const std::string& reason) {
  states_.lose(node);
  add_event(line_of("lost", {{"node", plan_.nodes[node].host.name}, {"reason", reason}}));
}

void LogFolder::on_ready(std::uint32_t node, const protocol::Ready& ready) {
  ordered_json fields{{"node", plan_.nodes[node].host.name}, {"mpi", ready.mpi}, {"pmi", ready.pmi}};
  if (!ready.mpi_reason.empty()) fields["reason"] = ready.mpi_reason;
  add_event(line_of("ready", fields));
}

void LogFolder::on_started(const protocol::Started& started) {
  states_.start(started);
  ordered_json fields{{"node_time_ns", started.time_ns}, {"rank", started.rank}, {"pid", started.pid}};
  if (!started.cpus.empty()) fields["cpus"] = started.cpus;
  add_event(line_of("started", fields));
  const std::string file = "env_" + std::to_string(started.rank) + ".log";
  const base::FileDescriptor environment = create_file(opened_, file, private_mode);
  std::string text;
  for (const std::string& variable : started.environment) text += masked(variable) + "\n";
  write_all(environment.get(), text, folder_ / file);
  if (states_.urgent()) write_rank_states();
}

void LogFolder::on_output(std::uint32_t rank, protocol::Stream /*stream*/, std::string_view bytes) {
  any_output_ = true;
  logs_[rank].write(bytes);
  times_->add(rank, bytes.size(), LineTimes::Clock::now());
}

void LogFolder::on_tick() {
  times_->tick(LineTimes::Clock::now());
  if (states_.due(RankStates::Clock::now())) write_rank_states();
}

void LogFolder::on_exited(std::uint32_t rank, const RankRecord& record) {
  states_.end(rank, record);
  add_event(line_of("exited", {{"node_time_ns", record.ended_ns},
                               {"rank", rank},
                               {"state", name_of(record.state)},
                               {"code", record.code},
                               {"signal", record.signal},
                               {"end", describe_end(record)}}));
}

void LogFolder::on_examined(const ExaminedRank& examined) {
  const std::string file = "hang_" + std::to_string(examined.rank) + ".txt";
  write_all(create_file(opened_, file, shared_mode).get(), examined.text, folder_ / file);
  add_event(line_of("examined",
                    {{"rank", examined.rank},
                     {"why", examined.why == ExaminedRank::Why::job_hangs ? "job_hangs" : "stays_behind"}}));
}

void LogFolder::on_failure(const Failure& failure) {
  states_.fail();
  ordered_json fields;
  if (failure.rank) fields["rank"] = *failure.rank;
  if (failure.node) fields["node"] = plan_.nodes[*failure.node].host.name;
  fields["message"] = failure.message;
  add_event(line_of("failure", fields));
  if (states_.urgent()) write_rank_states();
}

void LogFolder::on_members(const protocol::Members& members, const std::string& why) {
  add_event(
      line_of("members", {{"generation", members.generation}, {"ranks", members.ranks}, {"message", why}}));
  if (states_.urgent()) write_rank_states();
}

void LogFolder::on_replaced(std::uint32_t node, const std::string& lost) {
  add_event(line_of("replaced", {{"node", lost}, {"spare", plan_.nodes[node].host.name}}));
  states_.replace_node();
  write_rank_states();
}

void LogFolder::on_stopping(const protocol::Stop& stop) {
  add_event(line_of("stopping", {{"at_once", stop.now}}));
}

void LogFolder::on_forwarded(int signal) {
  add_event(line_of("forwarded", {{"signal", signal}}));
}

void LogFolder::on_notice(const std::string& text) {
  add_event(line_of("notice", {{"message", text}}));
}

// If the program is not there, some ranks may have been ended before they knew: they count as started.
bool LogFolder::has_run(const JobReport& report) const {
  const std::vector<RankRecord>& records = states_.records();
  const bool any_started = std::any_of(records.begin(), records.end(), [](const RankRecord& record) {
    return record.state != RankState::waiting;
  });
  return any_output_ ||
         (any_started && (report.failures.empty() || !is_start_failure(report.failures.front())));
}

JobFileState LogFolder::ended_state(const JobReport& report) const {
  JobFileState state{"done", folder_.string(), true};
  if (report.failures.empty()) return state;
  const Failure& first = report.failures.front();
  const bool by_user = first.kind == Failure::Kind::interrupted || first.kind == Failure::Kind::resized;
  state.state = by_user ? "interrupted" : "failed";
  if (first.rank) state.last_lines = last_lines(*first.rank);
  return state;
}

void LogFolder::finish(const JobReport& report) {
  if (!has_run(report) && is_at(opened_.fd(), folder_)) folder_ = earlier_.give_back(plan_.job_id);
  std::exception_ptr broken;
  try {
    if (times_) times_->finish();
  } catch (const Error&) {
    broken = std::current_exception();
  }
  write_state(report, ended_state(report));
  if (broken) std::rethrow_exception(broken);
}

std::string LogFolder::end_as_json(const JobReport& report) const {
  JobFileState state = ended_state(report);
  state.on_one_line = true;
  return job_file(plan_, report, state);
}

void LogFolder::write_rank_states() {
  const auto begun = RankStates::Clock::now();
  try {
    write_state({states_.records(), {}, {}}, {"running", folder_.string()});
  } catch (const Error&) {
    // Does not end the job; the next change tries again.
  }
  states_.wrote(begun, RankStates::Clock::now());
}

void LogFolder::write_state(const JobReport& report, const JobFileState& state) {
  JobFileState told = state;
  told.supervisor = supervisor_;
  told.began_ns = began_ns_;
  std::string text = job_file(plan_, report, told);
  if (!state.ended) text.append(spare_bytes + spare_bytes_per_rank * report.ranks.size(), ' ');
  const auto write = [&](const base::OutputFolder& folder) {
    if (state.ended) return set_file(folder, "job.json", text);
    replace_file(folder, "job.json", text);  // Readers of a running job see a whole file.
  };
  if (is_removed(opened_.fd()))
    throw Error(folder_.string() + ": this folder is gone; job.json cannot be written");
  write(opened_);
  if (index_.empty()) return;
  try {
    write(open_output_folder(index_));
  } catch (const Error&) {
    return;  // The index only helps to find jobs; the job's own folder is complete.
  }
}

void LogFolder::add_event(const std::string& json_line) {
  write_all(events_.get(), json_line, folder_ / "events.jsonl");
}

}  // namespace adarun::launcher
