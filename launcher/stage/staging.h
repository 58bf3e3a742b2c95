// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/blake2b.h"
#include "base/file_descriptor.h"
#include "launcher/protocol/nodes.h"
#include "launcher/stage/stage_list.h"

namespace adarun::launcher {

/// A file that is being sent; it must not change after the list was read. Functions throw Error that names
/// it.
class StagedFile {
 public:
  explicit StagedFile(const StageSource& source);

  /// Whether all parts have been returned.
  bool ended() const { return offset_ >= size_bytes_ && begun_; }

  /// The next part; an empty file has one empty part. Throws if the file has changed.
  protocol::StagePart next(std::uint32_t item);

 private:
  void require_unchanged() const;

  std::string name_;
  base::FileDescriptor file_;
  std::uint64_t size_bytes_;
  std::int64_t changed_ns_;
  std::uint64_t offset_ = 0;
  bool begun_ = false;
};

/// Progress of staging, over all nodes.
struct StageProgress {
  std::size_t nodes = 0;
  std::size_t nodes_done = 0;
  std::size_t files = 0;         ///< Per node.
  std::size_t files_kept = 0;    ///< Files that were on their nodes already.
  std::uint64_t bytes_due = 0;   ///< Bytes to send, as far as known.
  std::uint64_t bytes_sent = 0;  ///< Confirmed by the nodes as written.

  bool operator==(const StageProgress&) const = default;
};

/// Copies a list of files to all nodes of a job, or to one (see launcher/protocol/files.h). Files that a node
/// has already are not sent. Passive, except that it reads files. Memory is bounded whatever the number of
/// nodes: only a few parts are in flight to a few nodes. Borrows the list and the nodes. Throws Error if a
/// file cannot be read.
class Staging {
 public:
  Staging(const StageList& list, std::string folder, Nodes& nodes);

  /// To one of the nodes alone.
  Staging(const StageList& list, std::string folder, Nodes& nodes, std::uint32_t node);

  /// Call once every node has sent Hello. Does nothing for an empty list.
  void begin();

  /// Handles a node's message; returns false if it is not about staging. Throws protocol::Error for a message
  /// that is not valid now: the node confirms what it was not sent, or is done before it has everything.
  bool take(std::uint32_t node, const protocol::Message& message);

  /// Whether local files are still being hashed: call tick() again soon.
  bool reading() const { return hashing_ < wanted_hashes_.size(); }

  /// Continues hashing local files, for a few milliseconds.
  void tick();

  bool begun() const { return begun_; }
  bool ended() const { return progress_.nodes_done == states_.size() || list_.empty(); }
  const StageProgress& progress() const { return progress_; }

 private:
  /// State of a node: looking -> waiting (StagePresent) -> sending (it is its turn) -> settling (all was sent
  /// and written; StageEnd) -> done (Staged).
  enum class State { looking, waiting, sending, settling, done };

  struct Node {
    State state = State::looking;
    std::vector<std::uint64_t> hashes;  ///< By item, their first digits; 0: it has no such file.
    std::vector<std::uint32_t> wanted;  ///< Items to send, in reverse order.
    std::optional<StagedFile> file;     ///< The item that is being sent.
    int parts_on_their_way = 0;
    std::uint64_t bytes_on_their_way = 0;
  };

  Staging(const StageList& list, std::string folder, Nodes& nodes, std::uint32_t first, std::size_t count);

  void take_taken(std::uint32_t node, const protocol::StageTaken& taken);
  void take_present(std::uint32_t node, const protocol::StagePresent& present);
  void decide_if_all_known();
  void decide(Node& node);
  void send_to_next();
  void fill(std::size_t index);

  const StageList& list_;
  std::string folder_;
  Nodes& nodes_;
  std::uint32_t first_;
  std::vector<Node> states_;                  ///< Of `first_` and the following nodes.
  std::vector<std::string> hashes_;           ///< Of local files, if some node has one of that size.
  std::vector<bool> is_wanted_hash_;          ///< By item: whether its hash is needed.
  std::vector<std::uint32_t> wanted_hashes_;  ///< Those items, in the order in which they were requested.
  std::size_t hashing_ = 0;                   ///< Index of the first unknown hash in `wanted_hashes_`.
  std::optional<base::FileHash> hash_;
  std::size_t looking_;   ///< Nodes that have not reported what they have.
  std::size_t next_ = 0;  ///< Index of the first state whose node nothing was sent to.
  int sending_ = 0;
  bool begun_ = false;
  StageProgress progress_;
};

}  // namespace adarun::launcher
