// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "base/version.h"
#include "launcher/hosts/host_list.h"
#include "launcher/job/job.h"
#include "launcher/links/link_findings.h"
#include "launcher/links/link_measurement.h"
#include "launcher/protocol/archive.h"
#include "launcher/protocol/frame.h"
#include "launcher/record/line_times.h"
#include "tests/fuzz/fuzz.h"

namespace launcher = adarun::launcher;
namespace protocol = adarun::launcher::protocol;

namespace {

launcher::Plan make_sample() {
  launcher::JobOptions options;
  options.argv = {"true"};
  const auto hosts = launcher::parse_host_list("n[0-1]:2");
  return make_plan(launcher::table_of(hosts), hosts, {"", ""}, options, {"j"});
}

void send(launcher::Job& job) {
  for (const launcher::Outgoing& out : job.take_outgoing()) protocol::encode(out.message);
}

// Whatever frames two nodes send after their Hello, a job accepts or refuses them, and its own messages can
// be written. The first byte selects which node sends which frame.
void fuzz_node_words(std::string_view bytes) {
  static const launcher::Plan plan = make_sample();
  const unsigned choice = take_byte(bytes);
  launcher::JobObserver observer;
  launcher::Job::Clock::time_point now{};
  launcher::Job job(plan, observer, now);
  for (const std::uint32_t node : {0U, 1U})
    job.on_event({node, protocol::Hello{adarun::base::version(), "h", 1, 0}}, now);
  protocol::FrameReader reader(protocol::Opening::magic);
  reader.feed(protocol::magic);
  reader.feed(bytes);
  try {
    for (std::uint32_t i = 0; const auto message = reader.next(); ++i) {
      job.on_event({choice >> (i % 8U) & 1U, *message}, now);
      job.on_time(now += std::chrono::milliseconds(1));
      send(job);
    }
  } catch (const protocol::Error&) {
  }
  for (const std::uint32_t node : {0U, 1U}) job.on_event({node, launcher::LinkLost{"gone"}}, now);
  demand(job.ended());
}

// Any bytes as a file of line times: each byte of a log has one of its times or none.
void fuzz_line_times(std::string_view bytes) {
  const std::string text(bytes);
  for (const char* title : {"", "adarun line times 1 -\n", "adarun line times 1 100\n"}) {
    std::istringstream file(title + text);
    const auto times = launcher::ArrivalTimes::read(file);
    demand(times || *title == '\0');
    if (!times) continue;
    for (const std::uint32_t rank : {0U, 1U, 7U})
      for (const std::uint64_t offset : {std::uint64_t{0}, std::uint64_t{150}, ~std::uint64_t{0}}) {
        const auto time = times->at(rank, offset, 200);
        demand(!time || text.find(std::to_string(*time).substr(*time < 0 ? 1 : 0)) != std::string::npos);
      }
  }
}

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

void demand_sound(const launcher::LinkReport& report) {
  for (const launcher::MeasuredLink& link : report.links) {
    demand(link.from < node_count && link.to < node_count && link.from != link.to);
    if (!link.reason.empty()) continue;
    demand(link.costs.message_s > 0 && link.costs.message_s <= 10);
    demand(link.costs.bytes_per_s >= 1 && std::isfinite(link.costs.bytes_per_s));
  }
}

// Four nodes that are asked about links and answer with any numbers, one line each; an empty line: the node
// is lost. Every measurement ends, and every figure of its report is one that a cluster can have.
void fuzz_link_answers(std::string_view lines) {
  launcher::LinkMeasurement measurement({{"10.0.0.1", 1}, {"10.0.0.2", 2}, {"10.0.0.3", 3}, {"10.0.0.4", 4}},
                                        "0123456789abcdef0123456789abcdef");
  std::deque<launcher::LinkProbe> probes;
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
}

const FuzzTargets job_targets{
    {"node_words", fuzz_node_words},
    {"line_times", fuzz_line_times},
    {"link_answers", fuzz_link_answers},
};

}  // namespace
