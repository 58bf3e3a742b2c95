// SPDX-License-Identifier: Apache-2.0
#include "monitor/web/run_registry.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <utility>

namespace adarun::monitor::web {
namespace {

constexpr std::chrono::milliseconds refresh_interval(1000);
constexpr std::chrono::seconds most_opening(10);

}  // namespace

RunRegistry::RunRegistry(JobSource source, std::vector<std::string> shown)
    : source_(std::move(source)), shown_(std::move(shown)), jobs_(source_.list()) {
  for (const std::string& id : shown_) {
    open_[id].run = source_.open(id);
    open_[id].run->set_facts(source_.facts(id));
  }
}

bool RunRegistry::poll(Clock::time_point now) {
  open_wanted();
  bool news = refresh_jobs(now);
  if (poll_runs(now)) news = true;
  const std::lock_guard lock(mutex_);
  if (news) ++version_;
  if (news) changed_.notify_all();
  return news;
}

// Opening reads folders, so it is done without the lock. That is safe because only this thread changes
// `open_`.
void RunRegistry::open_wanted() {
  std::set<std::string> wanted;
  {
    const std::lock_guard lock(mutex_);
    wanted.swap(wanted_);
  }
  for (const std::string& id : wanted) {
    if (open_.contains(id)) continue;  // It was asked for again while it was being opened.
    std::unique_ptr<WatchedRun> run;
    std::string why;
    try {
      run = source_.open(id);
      run->set_facts(source_.facts(id));
    } catch (const std::exception& error) {
      run.reset();
      why = error.what();
    }
    const std::lock_guard lock(mutex_);
    if (run)
      open_[id] = {std::move(run), ++visits_};
    else
      refused_[id] = why;
    close_unused();
    changed_.notify_all();
  }
}

void RunRegistry::close_unused() {
  while (open_.size() > std::max(most_open, shown_.size() + 1)) {
    const auto is_shown = [this](const std::string& id) {
      return std::find(shown_.begin(), shown_.end(), id) != shown_.end();
    };
    auto oldest = open_.end();
    for (auto each = open_.begin(); each != open_.end(); ++each) {
      if (is_shown(each->first)) continue;
      if (oldest == open_.end() || each->second.visited < oldest->second.visited) oldest = each;
    }
    if (oldest == open_.end()) return;
    open_.erase(oldest);
  }
}

// Once a second, updates the list of jobs, their states, and the logs that are new.
bool RunRegistry::refresh_jobs(Clock::time_point now) {
  if (now < next_refresh_) return false;
  next_refresh_ = now + refresh_interval;
  std::vector<JobEntry> jobs = source_.list();
  std::map<std::string, JobFacts> facts;
  std::map<std::string, std::unique_ptr<WatchedRun>> anew;
  for (const auto& [id, open] : open_) {
    facts[id] = facts_of(id, *open.run);
    if (!open.run->is_of_another(facts[id])) continue;
    anew[id] = open_anew(id);
    if (!anew[id]) facts[id] = open.run->facts();  // Tries again.
  }
  const std::lock_guard lock(mutex_);
  const auto differ = [](const JobEntry& one, const JobEntry& other) {
    return one.id != other.id || one.state != other.state;
  };
  bool news = !std::equal(jobs.begin(), jobs.end(), jobs_.begin(), jobs_.end(),
                          [&](const JobEntry& one, const JobEntry& other) { return !differ(one, other); });
  jobs_ = std::move(jobs);
  // Keeps the errors of listed jobs for the threads waiting to open them.
  std::erase_if(refused_, [this](const auto& each) { return !is_listed(each.first); });
  for (auto& [id, open] : open_) {
    const JobFacts& known = open.run->facts();
    if (known.state != facts[id].state || known.ranks != facts[id].ranks || anew[id]) news = true;
    if (anew[id]) open.run = std::move(anew[id]);
    open.run->set_facts(std::move(facts[id]));
    const std::string before = open.run->trouble();
    open.run->note_trouble("");  // Try again; data read before is still shown.
    try {
      open.run->find_logs();
    } catch (const std::exception& error) {
      open.run->note_trouble(error.what());
    }
    if (open.run->trouble() != before) news = true;
  }
  return news;
}

// A job.json that is missing for a moment, while the next attempt takes the log folder, says nothing new.
JobFacts RunRegistry::facts_of(const std::string& id, const WatchedRun& run) const {
  JobFacts facts = source_.facts(id);
  return facts.first_id.empty() && !run.facts().first_id.empty() ? run.facts() : facts;
}

// Reads a run from its beginning, with the attempts before the one that has its log folder now. Null if that
// is not possible yet.
std::unique_ptr<WatchedRun> RunRegistry::open_anew(const std::string& id) const {
  try {
    return source_.open(id);
  } catch (const std::exception&) {
    return nullptr;
  }
}

bool RunRegistry::poll_runs(Clock::time_point now) {
  bool news = false;
  const bool look_for_findings = now >= next_findings_;
  for (auto& [id, open] : open_) {
    if (poll_run(*open.run, now)) news = true;
    if (look_for_findings && update_findings(*open.run)) news = true;
  }
  if (look_for_findings) next_findings_ = now + refresh_interval;
  return news;
}

bool RunRegistry::poll_run(WatchedRun& run, Clock::time_point now) {
  const std::lock_guard lock(mutex_);
  try {
    return run.trouble().empty() && run.poll(now);
  } catch (const std::exception& error) {
    run.note_trouble(error.what());
    return true;
  }
}

// The search takes long, so it runs without the lock while other threads read the run. Only this thread
// changes the run.
bool RunRegistry::update_findings(WatchedRun& run) {
  {
    const std::lock_guard lock(mutex_);
    if (!run.changed_since_findings()) return false;
    run.run().merged();  // Fills the cache under the lock; see Run::merged.
    run.run().merged_validation();
  }
  std::vector<RunFinding> found = findings(run.run());
  const std::lock_guard lock(mutex_);
  run.note_findings(std::move(found));
  return true;
}

bool RunRegistry::is_listed(const std::string& id) const {
  return std::any_of(jobs_.begin(), jobs_.end(), [&](const JobEntry& job) { return job.id == id; });
}

std::vector<JobEntry> RunRegistry::jobs() const {
  const std::lock_guard lock(mutex_);
  return jobs_;
}

std::string RunRegistry::visit(const std::string& id,
                               const std::function<void(const WatchedRun& run)>& read) {
  std::unique_lock lock(mutex_);
  if (!open_.contains(id)) {
    if (!is_listed(id)) return "no job \"" + id + "\" is known here";
    refused_.erase(id);
    wanted_.insert(id);
    changed_.wait_for(lock, most_opening,
                      [&] { return closed_ || open_.contains(id) || refused_.contains(id); });
  }
  const auto found = open_.find(id);
  if (found == open_.end()) {
    const auto why = refused_.find(id);
    return why == refused_.end() ? "job " + id + " could not be opened in time" : why->second;
  }
  found->second.visited = ++visits_;
  read(*found->second.run);
  return {};
}

void RunRegistry::visit_open(
    const std::function<void(const std::string& id, const WatchedRun& run)>& read) const {
  const std::lock_guard lock(mutex_);
  for (const auto& [id, open] : open_) read(id, *open.run);
}

std::uint64_t RunRegistry::version() const {
  const std::lock_guard lock(mutex_);
  return version_;
}

std::optional<std::uint64_t> RunRegistry::wait_beyond(std::uint64_t seen, Clock::time_point deadline) const {
  std::unique_lock lock(mutex_);
  changed_.wait_until(lock, deadline, [&] { return closed_ || version_ > seen; });
  return closed_ ? std::nullopt : std::optional(version_);
}

void RunRegistry::close() {
  const std::lock_guard lock(mutex_);
  closed_ = true;
  changed_.notify_all();
}

}  // namespace adarun::monitor::web
