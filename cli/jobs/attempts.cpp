// SPDX-License-Identifier: Apache-2.0
#include "cli/jobs/attempts.h"

#include <algorithm>
#include <set>
#include <vector>

#include "base/clean_text.h"
#include "base/describe.h"
#include "cli/console/elapsed.h"
#include "cli/jobs/find_job.h"
#include "launcher/hosts/name_ranges.h"
#include "launcher/job/failure.h"
#include "launcher/record/job_file.h"

namespace adarun::cli {

namespace fs = std::filesystem;

std::size_t attempt_of(const JobFile& job) {
  return job.earlier.size() + 1;
}

std::string first_id_of(const JobFile& job) {
  return job.earlier.empty() ? job.id : job.earlier.front().job_id;
}

bool goes_on_from(const JobFile& job, const std::string& id) {
  return std::any_of(job.earlier.begin(), job.earlier.end(),
                     [&id](const launcher::EarlierAttempt& each) { return each.job_id == id; });
}

bool may_go_on(const JobFile& job) {
  const bool is_resized =
      job.state == "interrupted" && job.failure_kind == launcher::name_of(launcher::Failure::Kind::resized);
  return (job.state == "failed" || is_resized) && is_in_use(job) && last_run_of(job).id == job.id;
}

bool may_write_to(const fs::path& folder, const JobFile& job) {
  if (job.running()) return true;
  const bool is_left = folder.lexically_normal().filename().string().ends_with("." + job.id);
  return job.state != "done" && !is_left && is_in_use(job);
}

std::string node_list_of(const JobFile& job) {
  std::vector<std::string> names;
  std::set<std::string> known;
  for (const JobFile::Rank& rank : job.ranks)
    if (known.insert(rank.node).second) names.push_back(rank.node);
  return launcher::fold_names(names);
}

std::string text_of(const launcher::EarlierAttempt& attempt) {
  std::string text = attempt.job_id + " on " + attempt.nodes + ", " +
                     base::counted(attempt.world_size, "rank") + ", " + elapsed(attempt.duration);
  if (!attempt.failure.empty()) text += ": " + attempt.failure;
  if (!attempt.change.empty()) text += "; " + attempt.change;
  return base::clean_line(text);
}

fs::path log_dir_of(const launcher::EarlierAttempt& attempt, const JobFile& job, const fs::path& folder) {
  const auto without_slash = [](const fs::path& path) {
    return path.has_filename() ? path : path.parent_path();
  };
  fs::path own = without_slash(folder.lexically_normal());
  if (own.empty() || own.filename() == "." || own.filename() == "..")
    own = without_slash(fs::absolute(own).lexically_normal());
  std::string base = own.string();
  const std::string renamed = "." + job.id;
  if (!job.id.empty() && base.ends_with(renamed)) base.resize(base.size() - renamed.size());
  fs::path earlier = base + "." + attempt.job_id;
  if (!fs::is_directory(fs::symlink_status(earlier)) || launcher::job_id_in(earlier) != attempt.job_id)
    return {};
  return earlier;
}

}  // namespace adarun::cli
