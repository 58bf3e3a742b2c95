// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/file_hash.h"
#include "launcher/protocol/nodes.h"
#include "launcher/stage/stage_list.h"
#include "launcher/stage/staged_file.h"

namespace adarun::launcher {

/// How far a staging has come, over all nodes.
struct StageProgress {
  std::size_t nodes = 0;
  std::size_t nodes_done = 0;
  std::size_t files = 0;         ///< Of one node.
  std::size_t files_kept = 0;    ///< Were on their nodes already.
  std::uint64_t bytes_due = 0;   ///< To be sent, as far as that is known.
  std::uint64_t bytes_sent = 0;  ///< Written by the nodes.

  bool operator==(const StageProgress&) const = default;
};

/// Brings a list of things to all nodes of a job (see launcher/protocol/stage.h). What a node has already is
/// not sent. Passive, but for the files it reads. However many nodes there are, memory is bounded: some parts
/// are on their way to some nodes. Borrows the list and the nodes. Throws Error where a file cannot be read.
class Staging {
 public:
  Staging(const StageList& list, std::string folder, Nodes& nodes);

  /// Once every node has said Hello. Nothing happens with an empty list.
  void begin();

  /// What a node says; false where it is none of this. Throws protocol::Error where the node cannot say so:
  /// it takes what it was not sent, or is done before it has all of it.
  bool take(std::uint32_t node, const protocol::Message& message);

  /// Whether files are still to be read here: call `tick` again soon.
  bool reading() const { return hashing_ < wanted_hashes_.size(); }

  /// Reads on, for some milliseconds.
  void tick();

  bool begun() const { return begun_; }
  bool ended() const { return progress_.nodes_done == nodes_.count() || list_.empty(); }
  const StageProgress& progress() const { return progress_; }

 private:
  /// Of a node: looking -> waiting (StagePresent) -> sending (it is its turn) -> settling (all was sent and
  /// written; StageEnd) -> done (Staged).
  enum class State { looking, waiting, sending, settling, done };

  struct Node {
    State state = State::looking;
    std::vector<std::string> hashes;    ///< Of what it has.
    std::vector<std::uint32_t> wanted;  ///< Items to send, the last one first.
    std::optional<StagedFile> file;     ///< Of the item that is being sent.
    int parts_on_their_way = 0;
    std::uint64_t bytes_on_their_way = 0;
  };

  void take_taken(std::uint32_t node, const protocol::StageTaken& taken);
  void take_present(std::uint32_t node, const protocol::StagePresent& present);
  void decide_if_all_known();
  void decide(Node& node);
  void send_to_next();
  void fill(std::uint32_t node);

  const StageList& list_;
  std::string folder_;
  Nodes& nodes_;
  std::vector<Node> states_;
  std::vector<std::string> hashes_;           ///< Of our files, where some node has one of that size.
  std::vector<bool> is_wanted_hash_;          ///< Which of them.
  std::vector<std::uint32_t> wanted_hashes_;  ///< The same items, in the order in which they were asked for.
  std::size_t hashing_ = 0;                   ///< Index of the first one that is not known.
  std::optional<base::FileHash> hash_;
  std::size_t looking_;     ///< Nodes that have not told what they have.
  std::uint32_t next_ = 0;  ///< The first node that was never sent to.
  int sending_ = 0;
  bool begun_ = false;
  StageProgress progress_;
};

}  // namespace adarun::launcher
