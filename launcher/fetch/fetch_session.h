// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "launcher/fetch/fetch_target.h"
#include "launcher/transport/loop/transport.h"

namespace adarun::launcher {

/// Progress of a fetch, over all nodes.
struct FetchProgress {
  std::size_t nodes = 0;
  std::size_t nodes_connected = 0;  ///< Nodes that have ever connected.
  std::size_t nodes_done = 0;       ///< Including lost ones.
  std::size_t files = 0;            ///< Found so far.
  std::size_t files_done = 0;
  std::uint64_t bytes = 0;       ///< Total size of these files,
  std::uint64_t bytes_done = 0;  ///< and how much of it the launcher has.
};

/// Result for one file.
struct FetchedFile {
  protocol::FoundFile found;
  std::uint64_t new_bytes = 0;
  FetchResult how = FetchResult::fresh;
  std::string reason;  ///< Why it was not fetched, one line without its path; empty: it was.
};

/// Result for one node.
struct FetchedNode {
  std::vector<FetchedFile> files;
  std::vector<std::string> left_out;  ///< See protocol::FileListing.
  std::string reason;                 ///< Why its files were not fetched, one line; empty: see each file.
};

/// Fetches files from all nodes in parallel, through agents started for this purpose. One thread. Memory is
/// bounded whatever the number of files: only a few files per node are transferred at once. A node that
/// violates the protocol, or whose files cannot be written, is given up; the others continue.
class FetchSession {
 public:
  /// Returns the destination of a node's file. Throws Error if there is none, saying why.
  using Place =
      std::function<std::shared_ptr<FetchTarget>(std::uint32_t node, const protocol::FoundFile& found)>;

  /// Called often with the progress; returning false ends the fetch.
  using Continues = std::function<bool(const FetchProgress& progress)>;

  /// `transport` connects to `nodes` nodes; it is borrowed. A node that sends nothing new for `silence` is
  /// given up.
  FetchSession(Transport& transport, std::size_t nodes, protocol::Find find, Place place,
               std::chrono::milliseconds silence = std::chrono::minutes(5));

  /// Fetches the files that exist now; each further call fetches what is new since. Returns false if
  /// `continues` did.
  bool run(const Continues& continues);

  /// Results of the last run().
  const std::vector<FetchedNode>& nodes() const { return files_; }

  /// Tells the agents to exit, and waits up to two seconds for them.
  void leave();

 private:
  /// State of a node:
  ///
  ///     connecting -> finding        Hello received; Find sent
  ///     finding -> fetching          FileListing received; files requested
  ///     finding, fetching -> idle    all available files received
  ///     idle -> finding              run() called again
  ///     any -> gone                  link lost, or node given up
  enum class State { connecting, finding, fetching, idle, gone };

  /// A file being fetched.
  struct Open {
    std::size_t file = 0;
    std::shared_ptr<FetchTarget> target;
    std::uint64_t furthest = 0;  ///< End of the bytes received so far.
  };
  struct Node {
    State state = State::connecting;
    std::size_t next_file = 0;
    std::uint32_t next_id = 0;
    std::map<std::uint32_t, Open> open;
    std::map<std::string, int> attempts;  ///< Failed attempts, by path.
  };

  void begin(std::uint32_t node);
  void take(const TransportEvent& event);
  void take(std::uint32_t node, const protocol::Message& message);
  void take_found(std::uint32_t node, protocol::FileListing found);
  void take_part(std::uint32_t node, const protocol::FetchPart& part);
  void take_end(std::uint32_t node, const protocol::Fetched& fetched);
  void ask_for_more(std::uint32_t node);
  void ask_for(std::uint32_t node, std::size_t file);
  void settle(std::uint32_t node, const std::string& reason);
  void give_up(std::uint32_t node, const std::string& reason);
  bool busy() const { return progress_.nodes_done < nodes_.size(); }

  Transport& transport_;
  protocol::Find find_;
  Place place_;
  std::vector<Node> nodes_;
  std::vector<FetchedNode> files_;
  FetchProgress progress_;
  std::chrono::milliseconds silence_;
  SilenceTimeout timeout_;
};

}  // namespace adarun::launcher
