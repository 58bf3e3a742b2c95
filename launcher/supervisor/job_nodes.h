// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/process.h"
#include "launcher/hosts/host.h"
#include "launcher/plan/job_options.h"
#include "launcher/plan/placement.h"
#include "launcher/supervisor/node_pool.h"
#include "launcher/transport/loop/loop.h"
#include "launcher/transport/reach/reach.h"

namespace adarun::launcher {

/// How the nodes of a job change, by their names: "node2 is lost; node[4-5] leave; node3 joins".
/// Of one that leaves, because it was lost, and joins again only the latter.
std::string change_text(const std::vector<std::string>& lost, const std::vector<std::string>& removed,
                        const std::vector<std::string>& joined);

/// Which hosts of a job run its ranks, from one attempt to the next: a host that is lost is replaced by a
/// spare in its place, or left out; others join or leave as the user requests. Hosts are named by their index
/// in all(). Passive.
class Membership {
 public:
  /// The hosts that change at one renewal.
  struct Change {
    std::vector<std::uint32_t> left;                 ///< The lost ones, in the order of the members.
    std::vector<std::uint32_t> joined;               ///< The spares that replace the first of them.
    std::vector<std::uint32_t> removed;              ///< As requested.
    std::vector<std::uint32_t> added;                ///< Likewise: behind the other members.
    std::vector<std::uint32_t> spares_removed = {};  ///< Likewise.
  };

  /// What the user wants to change at the next renewal.
  struct Requested {
    std::vector<std::uint32_t> added;    ///< Hosts that join if they are usable.
    std::vector<std::uint32_t> removed;  ///< Members and spares that leave.
    /// How many hosts are enough at this renewal; from then on, the job needs as many members as it has then.
    std::optional<std::size_t> enough;
  };

  /// `min_nodes`: how many hosts the job needs. Spares count: hosts that AdaSum takes no rank of may be
  /// spares from the beginning.
  Membership(std::vector<Host> hosts, std::vector<Host> spares, std::size_t min_nodes);

  /// The hosts, then the spares, then those that were added. A spare whose list gives no devices has those of
  /// the host that it replaces, and never more than that.
  const std::vector<Host>& all() const { return all_; }

  /// The names of some of these.
  std::vector<std::string> names_of(const std::vector<std::uint32_t>& numbers) const;

  /// The hosts of the next attempt, in the order of their ranks.
  const std::vector<std::uint32_t>& members() const { return members_; }

  /// The spares that are left, in the order of their list.
  const std::vector<std::uint32_t>& spares() const { return spares_; }

  /// Adds hosts to all(); returns their numbers. They are not used until they are requested.
  std::vector<std::uint32_t> add(std::vector<Host> hosts);

  /// A host as it joins on request: without a count in its list it has the devices of the first member.
  Host with_devices(Host host) const;

  /// Does what is `requested`, removes the members that are not `usable`, and puts usable spares in their
  /// places: those that are `ready` before the others. Returns nullopt, and changes nothing, if too few would
  /// be left, members and usable spares together.
  std::optional<Change> renew(const std::function<bool(std::uint32_t)>& usable,
                              const Requested& requested = {},
                              const std::function<bool(std::uint32_t)>& ready = {});

  /// Puts a usable spare with enough devices in the place of a member, while an attempt runs. Returns it;
  /// nullopt: there is none.
  std::optional<std::uint32_t> replace(std::uint32_t member,
                                       const std::function<bool(std::uint32_t)>& usable);

  /// Forgets all hosts but members and spares, and numbers these anew: the members from 0.
  void renumber();

  std::size_t min_nodes() const { return min_nodes_; }

 private:
  std::vector<Host> all_;
  std::vector<std::uint32_t> members_;
  std::vector<std::uint32_t> spares_;  ///< Not used yet.
  std::size_t min_nodes_;
};

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
