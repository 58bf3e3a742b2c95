// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/file_limit.h"
#include "launcher/plan/job_options.h"
#include "launcher/plan/placement.h"
#include "launcher/supervisor/membership.h"
#include "launcher/supervisor/node_pool.h"
#include "launcher/transport/loop/loop.h"
#include "launcher/transport/reach/reach.h"

namespace adarun::launcher {

/// The nodes of a job over all of its attempts: which are members, how each is reached, and its connection.
/// Nodes are named by their index in membership().all(). Borrows the options.
class JobNodes {
 public:
  /// Looks up the nodes of `placement`. Throws Error if one that is needed has no address.
  JobNodes(const JobOptions& options, const ReachOptions& reach, const Placement& placement);
  JobNodes(const JobNodes&) = delete;
  JobNodes& operator=(const JobNodes&) = delete;

  Membership& membership() { return membership_; }
  const Membership& membership() const { return membership_; }

  /// By which the other nodes reach it.
  const std::string& address_of(std::uint32_t node) const { return addresses_[node]; }

  /// A transport to `nodes`: connects where no connection is kept. At most one at a time. Throws Error.
  std::unique_ptr<Transport> connect(const std::vector<std::uint32_t>& nodes);

  /// Adds hosts that were looked up, and begins to connect to them. Call while an attempt runs.
  std::vector<std::uint32_t> add(const std::vector<Host>& hosts, const Targets& targets);

  /// Whether a node can be a member of the next attempt, and whether it could start its ranks now.
  bool is_usable(std::uint32_t node) const { return pool_ && pool_->is_usable(node); }
  bool is_ready(std::uint32_t node) const { return pool_ && pool_->is_ready(node); }

  /// Whether a node's agent has ended in good order, and whether it is lost in another way, since the last
  /// look-up.
  bool has_ended(std::uint32_t node) const { return pool_ && pool_->has_ended(node); }
  bool is_lost(std::uint32_t node) const { return pool_ && pool_->is_lost(node); }

  /// Puts a spare in the place of a member that is lost, while an attempt runs; nullopt: there is none that
  /// is connected, has enough devices, and is not among `removed`. Returns its number.
  std::optional<std::uint32_t> replace(std::uint32_t lost, const std::vector<std::uint32_t>& removed);

  /// From now on the messages to and from `lost` are those of the spare that has its place.
  void hand_over(std::uint32_t lost, std::uint32_t spare) { pool_->replace(lost, spare); }

  /// Why a node that is no member was lost; null: it was not, since the last look-up.
  const std::string* loss_of(std::uint32_t node) const;

  /// A node is not to be used again.
  void exclude(std::uint32_t node);

  /// Drops all connections, and looks members and spares up anew; renumbers them. A node without an address
  /// then fails to connect.
  void start_anew();

 private:
  using Unknown = Reach::Unknown;

  void look_up(Unknown unknown);
  void note_loss(std::uint32_t node, const std::string& reason);

  const JobOptions& options_;
  const ReachOptions& reach_;
  Membership membership_;
  base::FileLimit files_;
  Targets targets_;  ///< Of the nodes that were there at the last look-up.
  std::vector<std::string> addresses_;
  std::map<std::uint32_t, std::string> losses_;
  std::optional<Loop> loop_;      ///< While connections are kept,
  std::optional<NodePool> pool_;  ///< like this.
};

}  // namespace adarun::launcher
