// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "adasum/communicators/communicator.h"
#include "adasum/sockets/environment.h"
#include "adasum/sockets/mesh.h"
#include "adasum/sockets/pmi_client.h"
#include "adasum/sockets/rendezvous.h"

namespace adasum {

/// The ranks of a job that continues without those that end, started by `adarun launch --min-ranks N`, and
/// with those that are started again then, on their node (`--rank-restarts N`) or on another one
/// (`--spare LIST`):
///
///   ElasticWorld world(read);
///   for (bool trained = false; !trained;) {
///     try {
///       share_state(world.communicator(), world.oldest());
///       world.settle();
///       trained = train(world.communicator());
///     } catch (const adasum::PeerLost&) {
///       world.change();
///     }
///   }
///   world.finish();
///
/// Every wait of the communicator ends with PeerLost when a rank has ended or comes, on all ranks. So it does
/// where all are there but a connection was lost; a program that ends up here again and again without a step
/// between should stop. A rank that comes has the state that the program begins with, and needs the others'.
/// One thread.
class ElasticWorld {
 public:
  /// Returns when all ranks are connected, and adarun knows that they continue without others; on a rank that
  /// is started again, when those that are left have connected it, by their change(). `connect_timeout`: for
  /// all ranks to meet once they have come here; until then, and after a change, the deadline of `options`,
  /// if that is later. Collective. Throws adasum::Error.
  explicit ElasticWorld(const ReadVariable& read, const sockets::MeshOptions& options = {},
                        std::chrono::milliseconds connect_timeout = sockets::default_meeting_timeout);
  ElasticWorld(const ElasticWorld&) = delete;
  ElasticWorld& operator=(const ElasticWorld&) = delete;

  /// The ranks of the present members, numbered without gaps.
  Communicator& communicator() { return *communicator_; }

  /// The ranks of the job that are there, ascending: communicator().rank() is the index of this rank's.
  const std::vector<int>& members() const { return members_.ranks; }
  std::uint64_t generation() const { return members_.generation; }

  /// Of these, numbered as communicator() does, the one that has been a member for longest: if any has the
  /// state that the ranks continue from, it has.
  int oldest() const;

  /// Whether none is missing.
  bool is_whole() const { return static_cast<int>(members_.ranks.size()) == size_; }

  /// After an error: waits until adarun says which ranks are there, and connects them; also the same ranks
  /// anew, where none has ended and a connection was lost. Plans, engines and whatever else was made with the
  /// communicator must be gone. Collective over those that are left. Throws adasum::Error if adarun says
  /// nothing in time, or if this rank is not among them: the communicator is then none.
  void change();

  /// Says that this rank has the state of the others: it may be the oldest() when those end. Only if it was
  /// started again does that say anything new.
  void settle();

  /// Says that this rank needs no others any more: it may end.
  void finish() { pmi_.finalize(); }

 private:
  void begin(sockets::Participant mine, std::chrono::milliseconds timeout);
  void come(std::chrono::milliseconds timeout);
  bool is_member() const;
  int place_of(int rank) const;
  void await_members();
  void connect_members();
  void connect(std::chrono::milliseconds timeout);
  void meet(sockets::Participant mine, const Deadline& deadline);
  void take(sockets::PmiClient::Members members);

  sockets::PmiClient pmi_;
  sockets::MeshOptions options_;
  std::chrono::milliseconds timeout_;  // for others to come: they may be busy for as long as a wait may last
  int rank_ = 0;                       // at the start of the job
  int size_ = 0;                       // likewise
  sockets::Secret secret_{};
  sockets::Messages messages_ = sockets::Messages::authenticated;
  Descriptor listener_;                        // Empty until the others have met this rank.
  std::optional<sockets::Endpoint> endpoint_;  // Where it listens, until settle() has said so.
  sockets::PmiClient::Members members_;
  std::unique_ptr<Communicator> communicator_;
};

}  // namespace adasum
