// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "cli/commands/monitor/runs.h"
#include "monitor/parse/line_pattern.h"

namespace adarun::base {
class Log;
}

namespace CLI {
class App;
}

namespace adarun::cli {

/// `adarun monitor` without --once: shows the loss of this job until it ends or the user quits, through all
/// its attempts: earlier ones are read first, and further ones as they come.
/// `patterns`: further formats of loss lines. Returns the exit status: 3 if there is nothing to read, 130
/// after Ctrl-C.
int monitor_live(const AskedRun& asked, std::vector<monitor::LinePattern> patterns, bool color);

/// The user's options for the web page.
struct ServeOptions {
  std::string address;  ///< ADDRESS:PORT; empty: do not serve a page.
  std::size_t most_viewers = 16;
  std::string log_file;  ///< Empty: none.
  bool open = false;     ///< No token is required, on a loopback address.

  base::Log* log = nullptr;  ///< Log for requests; null: none.

  bool wanted() const { return !address.empty(); }
};

void add_serve_options(CLI::App& command, ServeOptions& options);

/// Serves the page until a signal or, at a terminal, the key q ends it; prints its address. It shows `asked`
/// at first, laid over each other, whose places may be links, though none below them is followed. `patterns`:
/// further formats of loss lines. Events are logged to `options.log`. Returns the exit status.
int serve_page(std::vector<AskedRun> asked, std::vector<monitor::LinePattern> patterns,
               const ServeOptions& options);

}  // namespace adarun::cli
