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

#include "launcher/fetch/arrival.h"
#include "launcher/transport/loop/silence_timeout.h"
#include "launcher/transport/loop/transport.h"

namespace adarun::launcher {

/// How far files have come, over all nodes.
struct FetchProgress {
  std::size_t nodes = 0;
  std::size_t nodes_connected = 0;  ///< So far: each counts once.
  std::size_t nodes_done = 0;       ///< Or lost.
  std::size_t files = 0;            ///< As far as they are found.
  std::size_t files_done = 0;
  std::uint64_t bytes = 0;       ///< Of these files,
  std::uint64_t bytes_done = 0;  ///< and how many of them are here.
};

/// What has come of one file.
struct FetchedFile {
  protocol::FoundFile found;
  std::uint64_t new_bytes = 0;
  Arrived how = Arrived::fresh;
  std::string reason;  ///< Why it is not here, one line without its path; empty: it is.
};

/// What has come of one node.
struct FetchedNode {
  std::vector<FetchedFile> files;
  std::vector<std::string> left_out;  ///< See protocol::Found.
  std::string reason;                 ///< Why its files are not here, one line; empty: see each of them.
};

/// Brings files of all nodes here, at once, over agents that have nothing else to do. One thread. However
/// many files there are, memory is bounded: some are on their way from each node. A node that does not keep
/// to what it was asked, or whose files cannot be written, is given up; the others go on.
class FetchSession {
 public:
  /// Gives the place where a file of a node goes. Throws Error that says why there is none.
  using Place = std::function<std::shared_ptr<Arrival>(std::uint32_t node, const protocol::FoundFile& found)>;

  /// Asked often; false ends it.
  using GoesOn = std::function<bool(const FetchProgress& progress)>;

  /// `transport` leads to so many nodes. Borrows it. A node that sends nothing new for `silence` is given up.
  FetchSession(Transport& transport, std::size_t nodes, protocol::Find find, Place place,
               std::chrono::milliseconds silence = std::chrono::minutes(5));

  /// Brings what is there now; again, what has come since. False where `goes_on` said so.
  bool run(const GoesOn& goes_on);

  /// What came of it, the last time.
  const std::vector<FetchedNode>& nodes() const { return files_; }

  /// Tells the agents to end, and waits a moment for that.
  void leave();

 private:
  /// Of a node:
  ///
  ///     connecting -> finding   Hello; it is asked which files are there
  ///     finding -> fetching     Found; they are asked for
  ///     finding, fetching -> idle    all that can be had is here
  ///     idle -> finding         run() again
  ///     each -> gone            its link is gone, or it is given up
  enum class State { connecting, finding, fetching, idle, gone };

  /// A file on its way.
  struct Open {
    std::size_t file = 0;
    std::shared_ptr<Arrival> arrival;
    std::uint64_t furthest = 0;  ///< Byte of it that has come.
  };
  struct Node {
    State state = State::connecting;
    std::size_t next_file = 0;
    std::uint32_t next_id = 0;
    std::map<std::uint32_t, Open> open;
    std::map<std::string, int> attempts;  ///< By path, where there was more than one.
  };

  void begin(std::uint32_t node);
  void take(const TransportEvent& event);
  void take(std::uint32_t node, const protocol::Message& message);
  void take_found(std::uint32_t node, protocol::Found found);
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
