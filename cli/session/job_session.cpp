// SPDX-License-Identifier: Apache-2.0
#include "cli/session/job_session.h"

#include <unistd.h>

#include <exception>
#include <system_error>

#include "base/output_folder.h"
#include "cli/jobs/claim_name.h"
#include "cli/options/command.h"
#include "launcher/record/job_index.h"

namespace adarun::cli {

namespace fs = std::filesystem;

namespace {

// Closed to others, whatever the umask. Where it cannot be made, the job runs without it.
void make_entry(const fs::path& folder) {
  try {
    const base::OutputFolder made(folder);
  } catch (const std::exception&) {
    return;
  }
}

}  // namespace

JobSession::~JobSession() {
  control_server_.reset();  // Removes its socket.
  if (!supervisor_.folder.empty()) rmdir(supervisor_.folder.c_str());
}

void JobSession::take(const LaunchOptions& options, const std::string& job_id) {
  index_ = options.job_index.empty() ? launcher::job_index() : fs::absolute(options.job_index);
  if (index_.empty() && (detach_channel_ != nullptr || !options.name.empty()))
    throw Quit(exit_could_not_start, std::string(detach_channel_ != nullptr ? "--detach" : "--name") +
                                         ": no folder for jobs; set HOME or XDG_STATE_HOME");
  if (index_.empty()) return;
  launcher::prune_job_index(index_);
  const fs::path folder = index_ / job_id;
  std::error_code ignored;  // The job runs even if the index cannot be written.
  fs::create_directories(index_, ignored);
  if (!options.name.empty()) name_claim_ = claim_name(index_, options.name);
  make_entry(folder);
  supervisor_ = launcher::supervisor_here(folder, detach_channel_ != nullptr);
  if (detach_channel_ != nullptr) detach_channel_->leave_terminal(job_id, supervisor_.output());
  control_server_ = std::make_unique<launcher::ControlServer>(supervisor_.socket());
}

void StatusObserver::on_started(const launcher::protocol::Started& started) {
  JobStatus::on_started(started);
  note_start(started.rank);
}

void StatusObserver::note_start(std::uint32_t rank) {
  if (waiting_.erase(rank) == 0 || !waiting_.empty()) return;
  if (session_.detach_channel() != nullptr) session_.detach_channel()->all_started();
  attempts_.resize().ranks_started(attempts_.where());
}

void StatusObserver::on_tick() {
  attempts_.resize().advance();
  if (session_.control_server() != nullptr)
    session_.control_server()->answer_questions([this](const std::string& asked) { return answer(asked); });
}

std::string StatusObserver::answer(const std::string& request) {
  if (const auto wanted = launcher::resize_request(request))
    return launcher::to_line(attempts_.resize().begin(*wanted));
  if (request == launcher::how_the_resize_stands) return launcher::to_line(attempts_.resize().state());
  return request == "status" ? json() : "{}";
}

}  // namespace adarun::cli
