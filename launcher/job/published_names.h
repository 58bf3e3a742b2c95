// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "launcher/protocol/messages.h"
#include "launcher/protocol/nodes.h"

namespace adarun::launcher {

/// What the ranks of a job have published under names, for other ranks of the job: MPI_Publish_name and
/// MPI_Lookup_name, by PMIx and PMI, each with names of its own. A lookup may wait for a name until its
/// deadline. Names and values are data of programs, and bounded. Passive.
class PublishedNames {
 public:
  using Clock = std::chrono::steady_clock;

  /// Limits of a job: names of both services, the bytes of these and their values, and lookups that wait.
  static constexpr std::size_t most_names = 1U << 14U;
  static constexpr std::size_t most_bytes = 64U << 20U;
  static constexpr std::size_t most_waiting = 1U << 13U;

  /// The longest name: PMIx's.
  static constexpr std::size_t most_name_bytes = 511;

  /// A lookup waits no longer than that, whatever it asks for.
  static constexpr std::chrono::hours longest_wait{24};

  /// Carries out a request of `node`, and sends the reply through `nodes`, now or later. Throws
  /// protocol::Error if no correct agent sends it.
  void take(std::uint32_t node, const protocol::NameRequest& request, Nodes& nodes, Clock::time_point now);

  /// Replies to lookups that have waited for long enough. Call when `deadline()` has passed.
  void tick(Clock::time_point now, Nodes& nodes);
  std::optional<Clock::time_point> deadline() const;

  /// The lookups of a lost node wait no longer.
  void forget(std::uint32_t node);

 private:
  using Key = std::pair<protocol::Service, std::string>;

  struct Entry {
    std::string value;
    std::uint32_t rank = 0;
    bool once = false;
  };

  struct Waiting {
    std::uint32_t node = 0;
    protocol::NameRequest request;
    Clock::time_point until;
    Key missing;  ///< The first of its names that is not published.
  };

  protocol::NameReply publish(const protocol::NameRequest& request);
  protocol::NameReply withdraw(const protocol::NameRequest& request);
  protocol::NameReply look_up(const protocol::NameRequest& request);
  std::optional<Key> first_missing(const protocol::NameRequest& request) const;
  void wait(std::uint32_t node, const protocol::NameRequest& request, Nodes& nodes, Clock::time_point until);
  Waiting stop_waiting(std::uint64_t number);
  void wake(const protocol::NameRequest& published, Nodes& nodes);
  void erase(std::map<Key, Entry>::iterator entry);

  std::map<Key, Entry> entries_;
  std::size_t bytes_ = 0;  ///< Of names and values in entries_.
  std::uint64_t next_ = 0;
  std::map<std::uint64_t, Waiting> waiting_;                    ///< By a number of its own,
  std::multimap<Key, std::uint64_t> by_missing_;                ///< by what it waits for,
  std::set<std::pair<Clock::time_point, std::uint64_t>> ends_;  ///< and by the end of its wait.
};

}  // namespace adarun::launcher
