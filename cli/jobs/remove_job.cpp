// SPDX-License-Identifier: Apache-2.0
#include "cli/jobs/remove_job.h"

#include <exception>
#include <filesystem>
#include <regex>
#include <stdexcept>
#include <system_error>
#include <vector>

#include "cli/arguments/command.h"
#include "launcher/record/folder_lock.h"
#include "launcher/record/job_file.h"
#include "launcher/record/job_index.h"

namespace adarun::cli {
namespace {

namespace fs = std::filesystem;

// What is found in a log folder: docs/formats.md.
bool is_file_of_a_job(const fs::directory_entry& entry) {
  static const std::regex names(
      R"((worker|env|hang)_[0-9]+(\.kept(\.[0-9]+)?)?\.(log|log\.gz|txt)|adarun(\.1)?\.log)"
      R"(|(job|rank_table)\.json(\.new|\.[0-9a-f]{32}\.unfinished)?|events\.jsonl|line_times\.txt|metrics\.jsonl)");
  return entry.symlink_status().type() == fs::file_type::regular &&
         std::regex_match(entry.path().filename().string(), names);
}

// Others may have put something there since it was looked at. job.json goes last: what an interruption leaves
// is still known to be the job's.
void remove_folder(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    if (!is_file_of_a_job(entry))
      throw std::runtime_error(entry.path().string() + ": not adarun's; the folder stays");
    if (entry.path().filename() != "job.json") files.push_back(entry.path());
  }
  for (const fs::path& file : files) fs::remove(file);
  fs::remove(folder / "job.json");
  fs::remove(folder);
}

}  // namespace

std::string foreign_file_of(const EndedJob& ended) {
  if (ended.folder.empty()) return "";
  std::error_code error;
  for (fs::directory_iterator each(ended.folder, error), end; !error && each != end; each.increment(error))
    if (!is_file_of_a_job(*each)) return each->path().filename();
  return "";
}

void remove_job(const EndedJob& ended) {
  try {
    if (!ended.folder.empty()) {
      const base::FileDescriptor lock = launcher::lock_folder(ended.folder);
      if (launcher::job_id_in(ended.folder) != ended.job.id)
        throw std::runtime_error(ended.folder.string() + ": another job has this folder by now");
      remove_folder(ended.folder);
    }
    if (!ended.entry.empty()) launcher::drop_from_index(ended.entry);
  } catch (const std::exception& error) {
    throw Quit(exit_failed, "job " + ended.job.id + ": " + error.what());
  }
}

}  // namespace adarun::cli
