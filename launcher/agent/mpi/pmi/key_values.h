// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "launcher/protocol/messages.h"

namespace adarun::launcher::agent::pmi {

/// The pairs that the ranks of a job have published, as known on one node: all that were put here, and those
/// put on other nodes before the last barrier. Putting a key again replaces its value.
class KeyValues {
 public:
  /// The limits of MPICH's own process manager; they fit in a client's line of 1024 bytes.
  static constexpr std::size_t max_key_bytes = 64;
  static constexpr std::size_t max_value_bytes = 1024;

  /// `max_bytes`: what all ranks of this node together may put.
  explicit KeyValues(std::size_t max_bytes) : max_bytes_(max_bytes) {}

  /// Publishes a value and returns "". If refused, changes nothing and returns the reason as one word.
  std::string put(const std::string& key, const std::string& value);

  /// The value, or null.
  const std::string* find(std::string_view key) const;

  /// What was put here since the last call, for the other nodes: lines of KEY=VALUE.
  std::string take_new();

  /// Adds the concatenated results of take_new() of any number of nodes. Lines that are not KEY=VALUE are
  /// skipped.
  void add(std::string_view lines);

 private:
  std::size_t max_bytes_;
  std::size_t bytes_ = 0;                                ///< Total size of the pairs put here.
  std::map<std::string, std::size_t, std::less<>> own_;  ///< Keys put here, with the bytes counted for each.
  std::set<std::string> new_;                            ///< Keys put since the last take_new().
  std::map<std::string, std::string, std::less<>> values_;
};

/// Which rank is on which node, in the format of MPICH's key PMI_process_mapping: "(vector,(0,2,4),(2,1,3))"
/// puts 4 ranks on each of nodes 0 and 1, then 3 on node 2. If there are more ranks, the list is repeated.
/// Nodes are numbered in the order of their first ranks. "" if the ranks of `nodes` are not 0, 1, 2, ...
std::string process_mapping(const std::vector<protocol::NodeRanks>& nodes);

}  // namespace adarun::launcher::agent::pmi
