// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/manual/man_page.h"
#include "trainer/options/options.h"

namespace adarun::trainer {

/// Options of the program's own log, which is separate from the training's.
struct LogOptions {
  int verbose = 0;  ///< The number of -v.
  /// The file for all messages, with time and level; with several ranks, FILE.<rank>. Empty: none.
  std::string file;
};

/// Parses the options in `argv`. Returns nothing if the user asked for help, or for --print-config; the text
/// is then on stdout. The environment's DATA_PATH is the default of --data-path; ADARUN_FIRST_JOB_ID and
/// ADARUN_RESTART_COUNT identify the job. Throws Error (usage) on unknown options and invalid values.
/// Options of the log are stored in `log`. `version` returns the text for --version; without it, only the
/// number is printed.
std::optional<TrainerOptions> parse_options(int argc, const char* const* argv, LogOptions& log,
                                            const std::function<std::string()>& version = {});

namespace options {
/// The manual page of all options.
std::vector<manual::Page> man_pages();
}  // namespace options

}  // namespace adarun::trainer
