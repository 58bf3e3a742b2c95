// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>

namespace adarun::launcher::agent::pmi {

/// What the ranks of a job have published, as one node knows it: all that was put here, and what was put
/// elsewhere before the last barrier. A key that is put again has the later value.
class KeyValues {
 public:
  /// As MPICH's own process manager has them; a line of its clients (1024 bytes) holds them.
  static constexpr std::size_t max_key_bytes = 64;
  static constexpr std::size_t max_value_bytes = 1024;

  /// `max_bytes`: what the ranks of this node may put, all together.
  explicit KeyValues(std::size_t max_bytes) : max_bytes_(max_bytes) {}

  /// Publishes a value, and gives "". Else the reason, in one word: nothing is changed.
  std::string put(const std::string& key, const std::string& value);

  /// The value, or null.
  const std::string* find(std::string_view key) const;

  /// What was put here since the last call, for the other nodes: lines of KEY=VALUE.
  std::string take_new();

  /// Takes in what take_new() gave on any number of nodes, one after the other. What is no KEY=VALUE is left
  /// out.
  void add(std::string_view lines);

 private:
  std::size_t max_bytes_;
  std::size_t bytes_ = 0;                                ///< Of keys and values that were put here.
  std::map<std::string, std::size_t, std::less<>> own_;  ///< Put here: how many bytes each one counts.
  std::set<std::string> new_;                            ///< Keys that were put since take_new().
  std::map<std::string, std::string, std::less<>> values_;
};

}  // namespace adarun::launcher::agent::pmi
