// SPDX-License-Identifier: Apache-2.0
// Measures what a job of thousands of nodes costs the launcher that loses one node after another: see
// bench/README.md.
#include <sys/eventfd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "base/file_descriptor.h"
#include "base/version.h"
#include "bench/scale/process_cost.h"
#include "launcher/hosts/host_list.h"
#include "launcher/job/job.h"
#include "launcher/supervisor/job_nodes.h"
#include "launcher/supervisor/node_pool.h"

namespace adarun::bench {
namespace {

using namespace std::chrono_literals;
using launcher::protocol::Message;
namespace protocol = launcher::protocol;

constexpr std::size_t environment_bytes = 3'000;

// Agents of all nodes, which stay from one attempt to the next: they start ranks, end them when told, and say
// Hello again. Messages are passed without frames.
class FakeAgents : public launcher::Transport {
 public:
  explicit FakeAgents(std::size_t nodes) : starts_(nodes), is_lost_(nodes) {
    const std::string variable = "SOME_VARIABLE_OF_A_NODE=" + std::string(40, 'v');
    environment_.assign(environment_bytes / variable.size(), variable);
    for (std::uint32_t node = 0; node < nodes; ++node) greet(node);
  }

  void lose(std::uint32_t node) {
    is_lost_[node] = true;
    events_.push_back({node, launcher::LinkLost{"no sign of life for 10 s"}});
  }

  void send(const std::vector<std::uint32_t>& nodes, const Message& message) override {
    for (const std::uint32_t node : nodes)
      if (!is_lost_[node]) answer(node, message);
  }
  void stop_all() override {}
  void take_silence(Silence /*silence*/) override {}
  int ready_fd() const override { return always_ready_.get(); }
  std::vector<launcher::TransportEvent> take() override { return std::exchange(events_, {}); }

 private:
  void say(std::uint32_t node, Message message) { events_.push_back({node, std::move(message)}); }
  void greet(std::uint32_t node) { say(node, protocol::Hello{base::version(), "host", 1, 0}); }

  void answer(std::uint32_t node, const Message& message) {
    if (const auto* start = std::get_if<protocol::Start>(&message)) {
      starts_[node] = *start;
      say(node, protocol::Ready{true, ""});
      for (const protocol::RankSpec& spec : start->ranks)
        say(node, protocol::Started{spec.rank, 100, 0, environment_});
    } else if (std::holds_alternative<protocol::Stop>(message)) {
      for (const protocol::RankSpec& spec : starts_[node].ranks) {
        protocol::Exited exited;
        exited.rank = spec.rank;
        exited.signal = 15;
        exited.stopped_by_us = true;
        say(node, exited);
      }
      say(node, protocol::Ended{});
      greet(node);
    }
  }

  std::vector<protocol::Start> starts_;
  std::vector<bool> is_lost_;
  std::vector<std::string> environment_;
  std::vector<launcher::TransportEvent> events_;
  base::FileDescriptor always_ready_{eventfd(1, EFD_CLOEXEC)};
};

// Counts the ranks that have started.
class Starts : public launcher::JobObserver {
 public:
  void on_started(const protocol::Started& /*started*/) override { ++count; }
  std::size_t count = 0;
};

launcher::Plan plan_of(const launcher::Membership& membership, int attempt) {
  std::vector<launcher::Host> hosts;
  for (const std::uint32_t member : membership.members()) hosts.push_back(membership.all()[member]);
  launcher::JobOptions options;
  options.argv = {"python3", "train.py", "--config", "large.yaml"};
  options.workdir = "/home/somebody/project";
  options.restarts.most = 1;
  return launcher::make_plan(launcher::table_of(hosts), hosts, std::vector<std::string>(hosts.size()),
                             options, {"20260101-120000-" + std::to_string(attempt)});
}

// One attempt until all of its ranks run; then `lost` is lost, and the others are ended.
void run_attempt(const launcher::Plan& plan, launcher::Transport& transport, FakeAgents& agents,
                 std::uint32_t lost) {
  Starts starts;
  const launcher::Job::Clock::time_point now{};
  launcher::Job job(plan, starts, now);
  bool is_disturbed = false;
  while (!job.ended()) {
    const std::vector<launcher::TransportEvent> events = transport.take();
    if (events.empty() && is_disturbed) throw std::runtime_error("the job waits for nothing");
    for (const launcher::TransportEvent& event : events) job.on_event(event, now);
    for (const launcher::Outgoing& out : job.take_outgoing()) transport.send(out.nodes, out.message);
    if (is_disturbed || starts.count < plan.world_size()) continue;
    agents.lose(lost);
    is_disturbed = true;
  }
}

void bench(int nodes, int ranks, int losses) {
  const auto hosts =
      launcher::parse_host_list("node[0001-" + std::to_string(nodes) + "]:" + std::to_string(ranks));
  const auto count = static_cast<std::size_t>(nodes);
  launcher::Membership membership(hosts, {}, count - static_cast<std::size_t>(losses));
  FakeAgents agents(count);
  launcher::NodePool pool(agents, count, 10s, [](std::uint32_t, const std::string&) {});
  const double begin = cpu_s();
  for (int attempt = 0; attempt < losses; ++attempt) {
    const auto lost = membership.members()[membership.members().size() / 2];
    const launcher::Plan plan = plan_of(membership, attempt);
    run_attempt(plan, *pool.begin(membership.members()), agents, lost);
    if (!membership.renew([&pool](std::uint32_t node) { return pool.is_usable(node); }))
      throw std::runtime_error("too few nodes are left");
  }
  const double all = cpu_s() - begin;
  std::printf(
      "| nodes | ranks of each | lost, one after another | left | cpu s | s per attempt | peak MiB |\n");
  std::printf("| --- | --- | --- | --- | --- | --- | --- |\n");
  std::printf("| %d | %d | %d | %zu | %.2f | %.3f | %.0f |\n", nodes, ranks, losses,
              membership.members().size(), all, all / losses, peak_mebibytes());
}

}  // namespace
}  // namespace adarun::bench

int main(int argc, char** argv) {
  const int nodes = argc > 1 ? std::atoi(argv[1]) : 4'096;
  const int ranks = argc > 2 ? std::atoi(argv[2]) : 8;
  const int losses = argc > 3 ? std::atoi(argv[3]) : nodes / 100;
  if (nodes < 2 || ranks < 1 || losses < 1 || losses >= nodes) {
    std::fputs("usage: bench-attempts [NODES [RANKS_PER_NODE [LOSSES]]]\n", stderr);
    return 2;
  }
  try {
    adarun::bench::bench(nodes, ranks, losses);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench-attempts: %s\n", error.what());
    return 3;
  }
}
