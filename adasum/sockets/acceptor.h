// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <list>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "adasum/communicators/deadline.h"
#include "adasum/sockets/handshake.h"
#include "adasum/sockets/link.h"
#include "adasum/types/descriptor.h"

namespace adasum::sockets {

/// Accepts connections of other ranks of the world on a listener, up to 256 handshakes at a time; further
/// connections wait in the listener's queue. Where there are so many, or no descriptor is left, one that has
/// said nothing for a while gives way to the next, the oldest first, and one that has not continued for
/// longer, so that strangers who are silent keep nobody waiting for long; a rank that gave way notices, and
/// connects again. One thread.
class Acceptor {
 public:
  /// `expected`: as in Handshake::of_acceptor. Borrows `listener`.
  Acceptor(const Descriptor& listener, const Introduction& expected, const Secret& secret, RankNames names)
      : listener_(listener), expected_(expected), secret_(secret), names_(std::move(names)) {}

  /// Waits until one of the ranks with an empty place in `connections` (by rank, `lowest` and above) has
  /// proved itself, and puts its connection there. Returns its rank. Throws adasum::Error at the deadline,
  /// and UnlikeMessages that names the rank.
  int accept(std::span<Link> connections, int lowest, const Deadline& deadline);

 private:
  struct Pending {
    Handshake handshake;
    Deadline introduction;  // Silent after it: it may give way.
    Deadline proof;         // Without one after it: the same.
    Deadline deadline;
  };

  std::optional<int> progress(std::span<Link> connections, int lowest);
  std::string missing(std::span<const Link> connections, int lowest) const;
  void wait(const Deadline& deadline) const;
  void take_new_ones();
  bool has_room() const;
  std::list<Pending>::const_iterator one_that_gives_way() const;

  const Descriptor& listener_;
  Introduction expected_;
  Secret secret_;
  RankNames names_;
  std::list<Pending> pending_;
  bool lacks_descriptors_ = false;
};

}  // namespace adasum::sockets
