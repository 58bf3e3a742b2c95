// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <set>
#include <utility>

#include "ranktable/json/json_text.h"
#include "ranktable/rules/rules.h"

namespace adarun::ranktable {
namespace {

using Place = std::pair<std::size_t, std::size_t>;  // server, device

void report(const Place& place, const std::string& rule, int rank, Findings& findings) {
  findings.push_back({Severity::error, path_of(place.first, place.second) + ".rank_id", rule, "EI0014",
                      in_quotes(std::to_string(rank))});
}

// The place of each rank; reports those that come twice.
std::map<int, Place> places_of_ranks(const Table& table, Findings& findings) {
  std::map<int, Place> places;
  for (std::size_t i = 0; i < table.servers.size(); ++i) {
    for (std::size_t j = 0; j < table.servers[i].devices.size(); ++j) {
      const int rank = table.servers[i].devices[j].rank_id;
      if (rank < 0) continue;
      const auto [other, is_new] = places.emplace(rank, Place{i, j});
      if (!is_new)
        report({i, j},
               "must be once in the table, but " + path_of(other->second.first, other->second.second) +
                   " has it too",
               rank, findings);
    }
  }
  return places;
}

int first_gap(const std::map<int, Place>& places) {
  int gap = 0;
  while (places.count(gap) != 0) ++gap;
  return gap;
}

void check_contiguous(const std::map<int, Place>& places, std::size_t devices, Findings& findings) {
  const int gap = first_gap(places);
  for (const auto& [rank, place] : places)
    if (static_cast<std::size_t>(rank) >= devices)
      report(
          place,
          "must be 0 to " + std::to_string(devices - 1) + " (no device has rank " + std::to_string(gap) + ")",
          rank, findings);
}

void check_together(const std::map<int, Place>& places, Findings& findings) {
  std::set<std::size_t> left;
  std::size_t current = places.empty() ? 0 : places.begin()->second.first;
  for (const auto& [rank, place] : places) {
    if (place.first == current) continue;
    left.insert(current);
    current = place.first;
    if (left.count(current) != 0)
      report(place, "ranks of a server must follow one another, without those of another server between them",
             rank, findings);
  }
}

}  // namespace

void check_ranks(const Table& table, Findings& findings) {
  const std::map<int, Place> places = places_of_ranks(table, findings);
  check_contiguous(places, device_count(table), findings);
  check_together(places, findings);
}

}  // namespace adarun::ranktable
