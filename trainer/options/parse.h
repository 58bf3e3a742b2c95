// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "manual/man_page.h"
#include "trainer/options/options.h"

namespace adarun::trainer {

/// How much a user wants to hear of the program itself, beside the training's log.
struct LogOptions {
  int verbose = 0;  ///< How often -v was said.
  /// Where all of it goes, with time and level; of several ranks, FILE.<rank>. Empty: nowhere.
  std::string file;
};

/// The options in `argv`, or nothing where the user asked for help, or for the options as a file, which is
/// then on stdout. DATA_PATH of the environment stands in for --data-path; ADARUN_FIRST_JOB_ID
/// and ADARUN_RESTART_COUNT say which job this is. Throws Error (usage) on what is no
/// option or no value of it. `version` gives what --version prints; without it, the number alone.
std::optional<TrainerOptions> parse_options(int argc, const char* const* argv,
                                            const std::function<std::string()>& version = {});

/// The same; what is said of the log goes into `log`.
std::optional<TrainerOptions> parse_options(int argc, const char* const* argv, LogOptions& log,
                                            const std::function<std::string()>& version);

namespace options {
/// The manual page of all of them.
std::vector<manual::Page> man_pages();
}  // namespace options

}  // namespace adarun::trainer
