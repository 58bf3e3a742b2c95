// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "monitor/parse/line_pattern.h"

namespace adarun::diagnostics {
class Log;
}

namespace CLI {
class App;
}

namespace adarun::cli {

/// What a user says of the page.
struct ServeOptions {
  std::string address;  ///< Empty: no page is asked for.
  std::size_t most_viewers = 16;
  std::string log_file;  ///< Empty: none.

  diagnostics::Log* log = nullptr;  ///< Is told of requests; null: nobody is.

  bool wanted() const { return !address.empty(); }
};

void add_serve_options(CLI::App& command, ServeOptions& options);

/// Serves the page for `places` until told to stop; prints where it is. With `each` every place is a run of
/// its own, and they are laid over each other. `metrics`: a trainer's JSON lines for the first run, or empty.
/// Logs are read in `patterns` too. What happens is told to `options.log`. Gives the exit status.
int serve_page(const std::vector<std::string>& places, bool each, const std::string& metrics,
               std::vector<monitor::LinePattern> patterns, const ServeOptions& options);

}  // namespace adarun::cli
