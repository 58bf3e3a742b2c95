// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cli/options/node_options.h"
#include "launcher/fetch/fetch_session.h"
#include "launcher/hosts/host.h"

namespace adarun::cli {

/// Files on hosts, by patterns, and the way to them.
class NodeFiles {
 public:
  /// At most so many files of one node.
  static constexpr std::uint32_t most_files = 10'000;

  /// Begins to connect. `place`: see launcher::FetchSession. Throws Quit for a pattern that leads back
  /// ("..").
  NodeFiles(std::vector<launcher::Host> hosts, const NodeOptions& options, std::vector<std::string> patterns,
            launcher::FetchSession::Place place);

  /// Brings what is there now, with a line on a terminal that shows how far that is; false where the user has
  /// interrupted it. Throws launcher::Error where nothing can be written here.
  bool fetch(const launcher::FetchSession::GoesOn& goes_on);

  /// Says on stderr what could not be had, hosts for which that is the same in one line. Gives the exit
  /// status: 3 where a host or a file failed, 1 where nothing matches on some host, else 0.
  int report() const;

  const std::vector<launcher::Host>& hosts() const { return hosts_; }
  const std::vector<launcher::FetchedNode>& found() const { return fetch_->nodes(); }

  /// Lets the agents go.
  void leave() { fetch_->leave(); }

 private:
  std::vector<launcher::Host> hosts_;
  std::vector<std::string> patterns_;
  base::FileLimit files_;
  std::unique_ptr<launcher::Transport> transport_;
  std::unique_ptr<launcher::FetchSession> fetch_;
};

/// Lines that several hosts have in common, once: "node[1-3]: LINE", in the order in which they were added.
class FoldedLines {
 public:
  void add(const std::string& host, const std::string& line);

  /// Each with its hosts before it, and an end.
  std::string text(const std::string& before) const;

 private:
  std::vector<std::pair<std::string, std::vector<std::string>>> lines_;
};

}  // namespace adarun::cli
