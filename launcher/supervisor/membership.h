// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "launcher/hosts/host.h"

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

}  // namespace adarun::launcher
