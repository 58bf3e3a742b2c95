// SPDX-License-Identifier: Apache-2.0
// Whatever frames two nodes send after their Hello, a job accepts or refuses them, and its own messages can
// be written. The first byte selects which node sends which frame.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "launcher/hosts/read.h"
#include "launcher/job/job.h"
#include "launcher/protocol/archive.h"
#include "launcher/protocol/frame.h"
#include "tests/fuzz/fuzz_input.h"
#include "tests/fuzz/fuzz_target.h"

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

}  // namespace

FUZZ_TARGET(node_words) {
  static const launcher::Plan plan = make_sample();
  if (size == 0) return 0;
  launcher::JobObserver observer;
  launcher::Job::Clock::time_point now{};
  launcher::Job job(plan, observer, now);
  for (const std::uint32_t node : {0U, 1U})
    job.on_event({node, protocol::Hello{ADARUN_VERSION, "h", 1, 0}}, now);
  protocol::FrameReader reader(protocol::Opening::magic);
  reader.feed(protocol::magic);
  reader.feed({reinterpret_cast<const char*>(data) + 1, size - 1});
  try {
    for (std::uint32_t i = 0; const auto message = reader.next(); ++i) {
      job.on_event({data[0] >> (i % 8U) & 1U, *message}, now);
      job.on_time(now += std::chrono::milliseconds(1));
      send(job);
    }
  } catch (const protocol::Error&) {
  }
  for (const std::uint32_t node : {0U, 1U}) job.on_event({node, launcher::LinkLost{"gone"}}, now);
  demand(job.ended());
  return 0;
}
