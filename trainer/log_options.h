// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "trainer/options.h"

namespace adarun::trainer {

/// How much a user wants to hear of the program itself, beside the training's log.
struct LogOptions {
  int verbose = 0;  ///< How often -v was said.
  /// Where all of it goes, with time and level; of several ranks, FILE.<rank>. Empty: nowhere.
  std::string file;
};

/// As parse_options() of trainer/options.h; what is said of the log goes into `log`.
std::optional<Options> parse_options(int argc, const char* const* argv, LogOptions& log,
                                     const std::function<std::string()>& version);

}  // namespace adarun::trainer
