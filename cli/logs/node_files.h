// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "cli/logs/log_printer.h"
#include "cli/logs/logs_options.h"
#include "launcher/fetch/fetch_session.h"
#include "launcher/hosts/host.h"

namespace adarun::cli {

/// Fetches the files on hosts that match patterns.
class NodeFiles {
 public:
  /// Maximum number of files of one node.
  static constexpr std::uint32_t most_files = 10'000;

  /// Starts connecting. `place`: see launcher::FetchSession. Throws ExitError for a pattern that contains
  /// "..".
  NodeFiles(std::vector<launcher::Host> hosts, const NodeOptions& options, std::vector<std::string> patterns,
            launcher::FetchSession::Place place);

  /// Fetches the current content and shows progress on a terminal. Returns false if `continues` did (the user
  /// interrupted).
  bool fetch(const launcher::FetchSession::Continues& continues);

  /// Prints on stderr what could not be fetched, one line for all hosts with the same problem. Returns the
  /// exit status: 3 if a host or a file failed, 1 if nothing matches on some host, else 0.
  int report() const;

  const std::vector<launcher::Host>& hosts() const { return hosts_; }
  const std::vector<launcher::FetchedNode>& found() const { return fetch_->nodes(); }

  /// Tells the agents to exit.
  void leave() { fetch_->leave(); }

 private:
  std::vector<launcher::Host> hosts_;
  std::vector<std::string> patterns_;
  base::FileLimit files_;
  std::unique_ptr<launcher::Transport> transport_;
  std::unique_ptr<launcher::FetchSession> fetch_;
};

/// Merges equal lines of several hosts, in the order in which they were added.
class FoldedLines {
 public:
  void add(const std::string& host, const std::string& line);

  /// All lines: `before`, the hosts, the line, and a line end: "node[1-3]: LINE".
  std::string text(const std::string& before) const;

  /// The same where the lines are paths, as names of files in one line: "node[1-3]:/tmp/log
  /// node7:/tmp/other".
  std::string file_names() const;

 private:
  std::vector<std::pair<std::string, std::vector<std::string>>> lines_;  ///< Each with its hosts.
  std::unordered_map<std::string, std::size_t> number_of_;               ///< By line: in `lines_`.
};

/// `adarun logs --hosts LIST --path GLOB`: prints files of all hosts; with --follow, continues as they grow.
/// Returns the exit status. Throws ExitError and launcher::Error.
int print_files(const std::vector<launcher::Host>& hosts, const LogsOptions& options, LineOptions lines);

}  // namespace adarun::cli
