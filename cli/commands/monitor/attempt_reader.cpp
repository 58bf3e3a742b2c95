// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/monitor/attempt_reader.h"

#include <utility>
#include <vector>

#include "cli/jobs/find_job.h"

namespace adarun::cli {

AttemptReader::AttemptReader(const AskedRun& asked, std::size_t poll_bytes, Feed feed,
                             BeginAttempt next_attempt)
    : asked_(asked),
      poll_bytes_(poll_bytes),
      feed_(std::move(feed)),
      next_attempt_(std::move(next_attempt)),
      watch_({}),
      id_(asked.id) {
  for (const EarlierRun& run : asked.earlier) known_ids_.insert(run.id);
  known_ids_.insert(id_);
  watch_anew();
}

void AttemptReader::watch_anew() {
  watch_ = monitor::LogWatch(asked_.logs.places);
  watch_.poll_at_most(poll_bytes_);
}

FeedRank AttemptReader::feed_of_rank() const {
  return [this](std::uint32_t rank, std::string_view bytes) { feed_(rank, false, bytes); };
}

bool AttemptReader::read() {
  is_at_end_ = false;
  if (stands_back_) return false;
  const bool is_over = is_followed_ || !others_.empty();
  bool any = false;
  watch_.poll([&](const monitor::LogFile& log, bool anew, std::string_view bytes) {
    any = take(log, anew, bytes) || any;
  });
  is_at_end_ = is_over && !any;
  return any;
}

// Leaves out what another attempt printed.
bool AttemptReader::take(const monitor::LogFile& log, bool anew, std::string_view bytes) {
  if (anew && others_.empty()) {
    const auto job = asked_.logs.job();
    if (job && is_of_other_attempt(*job)) others_.insert(log.rank);
  } else if (anew) {
    others_.insert(log.rank);
  }
  if (others_.contains(log.rank) || !own_.contains(log.rank)) return false;
  feed_(log.rank, anew, bytes);
  return true;
}

bool AttemptReader::is_of_other_attempt(const JobFile& job) const {
  return job.id != id_ && (continues_from(job, id_) || known_ids_.contains(job.id));
}

std::optional<JobFile> AttemptReader::look() {
  auto job = asked_.logs.job();
  is_followed_ = job && continues_from(*job, id_);
  if (is_followed_ && !own_.empty() && !is_at_end_ && !stands_back_) return job_;
  if (is_followed_) begin(*job);
  stands_back_ = job && is_of_other_attempt(*job);
  if (job && job->id == id_) others_.clear();
  if (job && !stands_back_) {
    id_ = job->id;
    known_ids_.insert(id_);
  }
  if (!stands_back_) find_logs_of(job);
  if (job) job_ = job;
  return job;
}

// Logs that are found while another attempt takes the folder may be that one's.
void AttemptReader::find_logs_of(const std::optional<JobFile>& job) {
  if (job || job_)
    watch_.find_again();
  else
    watch_.find();
  const auto after = asked_.logs.job();
  if (job.has_value() != after.has_value() || (job && job->id != after->id)) return;
  for (const monitor::LogFile& log : watch_.logs()) own_.insert(log.rank);
}

// Attempts between the one that is read and `job` have ended since the last look.
void AttemptReader::begin(const JobFile& job) {
  std::vector<EarlierRun> runs = runs_from(id_, job, asked_.logs.places.front());
  read_others(runs.front().folder, own_, feed_of_rank());
  runs.front().folder.clear();
  cli::read_earlier(runs, feed_of_rank(), next_attempt_);
  for (const EarlierRun& run : runs) known_ids_.insert(run.id);
  id_ = job.id;
  is_followed_ = is_at_end_ = false;
  own_.clear();
  others_.clear();
  watch_anew();
}

}  // namespace adarun::cli
