// SPDX-License-Identifier: Apache-2.0
#include "cli/arguments/folder_defaults.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>

#include "base/clean_text.h"
#include "base/file_descriptor.h"
#include "base/system_text.h"
#include "cli/arguments/command.h"
#include "cli/arguments/typed_words.h"
#include "launcher/record/job_index.h"

namespace adarun::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::array place_options{"hosts", "rank-table", "user", "port", "spare"};
constexpr std::array options_with_own_data{"env", "env-file", "stage"};

// What of the user's would leave this machine: "--env"; empty: nothing.
std::string own_data_in(const CLI::App& app, std::vector<std::string> words, const SpecFile* spec) {
  words.emplace_back();  // None of them is being typed.
  const TypedWords typed = read_typed_words(app, words);
  for (const char* option : options_with_own_data)
    if (typed.values.contains(option)) return std::string("--") + option;
  const bool has_variables =
      spec != nullptr && std::ranges::any_of(spec->roles.roles, [](const launcher::Role& role) {
        return !role.environment.empty();
      });
  return has_variables ? "env of a role" : "";
}

std::string option_text(const Default& of) {
  std::string text = "--" + of.option;
  for (const std::string& value : of.values) text += " " + value;
  return text;
}

bool is_allowed(const fs::path& folder, const std::string& digest) {
  struct stat facts {};
  return !folder.empty() && ::lstat((folder / digest).c_str(), &facts) == 0 && S_ISREG(facts.st_mode) &&
         facts.st_uid == ::geteuid();
}

}  // namespace

fs::path folder_of_allowed() {
  const fs::path jobs = launcher::job_index();
  return jobs.empty() ? fs::path() : jobs.parent_path() / "allowed";
}

void allow_defaults(const fs::path& folder, const std::string& digest, const std::string& file) {
  if (folder.empty()) throw Quit(exit_failed, "--allow: no folder for it; set HOME or XDG_STATE_HOME");
  std::error_code error;
  fs::create_directories(folder, error);
  const fs::path path = folder / digest;
  const base::FileDescriptor made(
      ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, S_IRUSR | S_IWUSR));
  const int reason = errno;
  if (!made && !is_allowed(folder, digest))
    throw Quit(exit_failed, path.string() + ": cannot write: " + base::system_text(reason));
  const std::string text = file + "\n";
  if (made && ::write(made.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size()))
    throw Quit(exit_failed, path.string() + ": cannot write: " + base::system_text(errno));
}

std::vector<Default> places_of_folder(const std::vector<Default>& defaults) {
  std::vector<Default> places;
  for (const Default& each : defaults)
    if (!each.digest.empty() && std::ranges::find(place_options, each.option) != place_options.end())
      places.push_back(each);
  return places;
}

void check_folder_defaults(const CLI::App& app, const std::vector<std::string>& words,
                           const std::vector<Default>& used, const SpecFile* spec, const fs::path& allowed,
                           base::Log& log) {
  const std::vector<Default> places = places_of_folder(used);
  if (places.empty()) return;
  const std::string& file = places.front().source;
  std::string options;
  for (const Default& each : places) options += (options.empty() ? "" : ", ") + option_text(each);
  const std::string data = own_data_in(app, words, spec);
  if (!data.empty() && !is_allowed(allowed, places.front().digest))
    throw Quit(exit_usage,
               base::clean_line(file + ": sets where this job runs: " + options + "; with " + data +
                                ", data of yours would go there: adarun config --allow allows this "
                                "file as it is now"));
  log.warning(base::clean_line(file + ": sets where this job runs: " + options));
}

}  // namespace adarun::cli
