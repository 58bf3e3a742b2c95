// SPDX-License-Identifier: Apache-2.0
// Four nodes that are asked about links and answer with any numbers, one line each; an empty line: the node
// is lost. Every measurement ends, and every figure of its report is one that a cluster can have.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "launcher/links/link_findings.h"
#include "launcher/links/link_measurement.h"
#include "tests/fuzz/fuzz_input.h"
#include "tests/fuzz/fuzz_target.h"

namespace {

using namespace adarun::launcher;

constexpr std::size_t node_count = 4;

/// The answer that a line of numbers is; the first number is the outcome.
protocol::Answer answer_of(std::string_view line) {
  std::istringstream numbers{std::string(line)};
  protocol::Answer answer;
  std::uint64_t number = 0;
  if (numbers >> number) answer.outcome = static_cast<protocol::Outcome>(number % 5);
  while (numbers >> number) answer.numbers.push_back(number);
  return answer;
}

void demand_sound(const LinkReport& report) {
  for (const MeasuredLink& link : report.links) {
    demand(link.from < node_count && link.to < node_count && link.from != link.to);
    if (!link.reason.empty()) continue;
    demand(link.costs.message_s > 0 && link.costs.message_s <= 10);
    demand(link.costs.bytes_per_s >= 1 && std::isfinite(link.costs.bytes_per_s));
  }
}

}  // namespace

FUZZ_TARGET(link_answers) {
  std::string_view lines(reinterpret_cast<const char*>(data), size);
  LinkMeasurement measurement({{"10.0.0.1", 1}, {"10.0.0.2", 2}, {"10.0.0.3", 3}, {"10.0.0.4", 4}},
                              "0123456789abcdef0123456789abcdef");
  std::deque<LinkProbe> probes;
  for (std::size_t node = 0; node < node_count; ++node) probes.emplace_back(measurement, node);
  std::vector<bool> lost(node_count);
  const std::size_t turns = 2 * measurement.steps() + 2;
  for (std::size_t turn = 0; turn < turns; ++turn) {
    for (std::size_t node = 0; node < node_count; ++node) {
      if (lost[node]) continue;
      for (const protocol::Query& query : probes[node].next()) {
        const std::string_view line = take_line(lines);
        if (line.empty()) {
          lost[node] = true;
          probes[node].lose();
          break;
        }
        probes[node].take(query, answer_of(line));
      }
    }
  }
  for (std::size_t node = 0; node < node_count; ++node) demand(lost[node] || !probes[node].waits());
  demand_sound(measurement.report());
  findings_of(measurement.report(), {"a", "b", "c", "d"});
  levels_of(measurement.report(), {0, 0, 1, 1});
  return 0;
}
