// SPDX-License-Identifier: Apache-2.0
// Measures the cost of a job of thousands of nodes for the launcher, without a network: see bench/README.md.
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>

#include "bench/scale/process_cost.h"
#include "launcher/hosts/host_list.h"
#include "launcher/protocol/frame.h"
#include "launcher/record/job_file.h"
#include "tests/launcher/job/fake_cluster.h"

namespace adarun::bench {
namespace {

using namespace std::chrono_literals;
using launcher::Job;
using launcher::Scenario;

constexpr double mebibyte = 1 << 20;

// CPU time of this thread: other load on the machine does not count.
std::chrono::nanoseconds thread_cpu() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

launcher::Plan plan_of(int nodes, int ranks) {
  const auto hosts =
      launcher::parse_host_list("node[0001-" + std::to_string(nodes) + "]:" + std::to_string(ranks));
  launcher::JobOptions options;
  options.argv = {"python3", "train.py", "--config", "large.yaml"};
  options.workdir = "/home/somebody/project";
  options.hang_timeout = 10min;
  options.log_folder = "/home/somebody/project/log_output";
  return launcher::make_plan(launcher::table_of(hosts), hosts, std::vector<std::string>(hosts.size()),
                             options, {"20260101-120000-abcdef"});
}

// Measures the launcher's work for each event and for what it sends, including decoding and encoding of
// frames. The clock is stopped while the fake nodes work.
class Meter {
 public:
  explicit Meter(Job& job) : job_(job) {}

  void deal(const launcher::TransportEvent& event, Job::Clock::time_point now) {
    ++events_;
    const auto* message = std::get_if<launcher::protocol::Message>(&event.what);
    const std::string frame = message == nullptr ? "" : launcher::protocol::encode(*message);
    heard_ += frame.size();
    const auto begin = thread_cpu();
    if (message == nullptr) {
      job_.on_event(event, now);
    } else {
      launcher::protocol::FrameReader reader(launcher::protocol::Opening::frame,
                                             launcher::protocol::Sender::agent);
      reader.feed(frame);
      job_.on_event({event.node, *reader.next()}, now);
    }
    work_ += thread_cpu() - begin;
  }

  void sent(const launcher::Outgoing& out) {
    const auto begin = thread_cpu();
    const std::string frame = launcher::protocol::encode(out.message);
    work_ += thread_cpu() - begin;
    sent_ += frame.size() * out.nodes.size();
    if (std::holds_alternative<launcher::protocol::JobSpec>(out.message)) common_ = frame.size();
    if (std::holds_alternative<launcher::protocol::Start>(out.message)) start_ = frame.size();
    if (std::holds_alternative<launcher::protocol::FenceDone>(out.message))
      fence_ = std::max(fence_, frame.size());
  }

  void print(const char* name, int status, double cpu) const {
    const double work = std::chrono::duration<double>(work_).count();
    std::printf("| %s | %d | %zu | %.2f | %.1f | %.2f | %.0f | %.1f | %.0f |\n", name, status, events_, work,
                1e6 * work / static_cast<double>(events_), cpu, peak_mebibytes(),
                static_cast<double>(sent_) / mebibyte, static_cast<double>(heard_) / mebibyte);
  }

  void print_sizes() const {
    std::printf("\nTo each node: JobSpec %zu bytes, Start %zu, the first fence's data %zu, all packed.\n",
                common_, start_, fence_);
  }

 private:
  Job& job_;
  std::chrono::nanoseconds work_{};
  std::size_t events_ = 0;
  std::size_t heard_ = 0;
  std::size_t sent_ = 0;
  std::size_t common_ = 0;
  std::size_t start_ = 0;
  std::size_t fence_ = 0;
};

void run(const char* name, const Scenario& scenario, const launcher::Plan& plan, bool tell_sizes) {
  launcher::JobObserver nobody;
  Job job(plan, nobody, {});
  launcher::FakeCluster cluster(plan, scenario);
  Meter meter(job);
  launcher::drive(
      job, cluster, {},
      [&](const launcher::TransportEvent& event, Job::Clock::time_point now) { meter.deal(event, now); },
      [&](const launcher::Outgoing& out) { meter.sent(out); });
  meter.print(name, job.report().exit_status(), cpu_s());
  if (tell_sizes) meter.print_sizes();
}

// Measures the cost of writing the ranks' states to job.json, without the disk.
void measure_job_file(int nodes, int ranks) {
  const launcher::Plan plan = plan_of(nodes, ranks);
  launcher::RankStates states(plan);
  for (std::uint32_t rank = 0; rank < plan.world_size(); ++rank) states.start({rank, 4'000'000, 1, {}});
  const auto begin = thread_cpu();
  const std::string text = launcher::job_file(plan, {states.records(), {}, {}}, {"running", "/log_output"});
  const auto took = std::chrono::duration<double>(thread_cpu() - begin).count();
  std::printf("\njob.json: %.1f MiB, made in %.2f s, while the job runs at most every %.0f s.\n",
              static_cast<double>(text.size()) / mebibyte, took,
              std::max(1.0, took * launcher::RankStates::pauses_per_write));
}

// Runs in its own process, so that its peak memory is measured separately.
void measure(const char* name, const Scenario& scenario, int nodes, int ranks, bool tell_sizes) {
  std::fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    run(name, scenario, plan_of(nodes, ranks), tell_sizes);
    std::fflush(stdout);
    _exit(0);
  }
  int status = 0;
  if (waitpid(child, &status, 0) != child || status != 0)
    throw std::runtime_error(std::string(name) + ": it failed");
}

int bench(int argc, char** argv) {
  const int nodes = argc > 1 ? std::atoi(argv[1]) : 4'096;
  const int ranks = argc > 2 ? std::atoi(argv[2]) : 8;
  if (nodes < 2 || ranks < 1) {
    std::fputs("usage: bench-scale [NODES [RANKS_PER_NODE]]\n", stderr);
    return 2;
  }
  const auto middle = static_cast<std::uint32_t>(nodes / 2);
  Scenario failing;
  Scenario lost;
  Scenario slow;
  Scenario hanging;
  Scenario on_demand;
  on_demand.fence_bytes_per_rank = 0;
  failing.failing_rank = middle * static_cast<std::uint32_t>(ranks);
  lost.lost_node = slow.slow_node = middle;
  hanging.hanging_rank = failing.failing_rank;
  std::printf(
      "%d nodes x %d ranks\n\n| scenario | exit status | events | launcher s | us/event | all cpu s | peak "
      "MiB "
      "| sent MiB | "
      "heard MiB |\n| --- | --- | --- | --- | --- | --- | --- | --- | --- |\n",
      nodes, ranks);
  measure("a rank fails", failing, nodes, ranks, false);
  measure("a node is lost", lost, nodes, ranks, false);
  measure("a node is slow", slow, nodes, ranks, false);
  measure("a rank hangs", hanging, nodes, ranks, false);
  measure("to its end, peers asked on demand", on_demand, nodes, ranks, false);
  measure("to its end", {}, nodes, ranks, true);
  measure_job_file(nodes, ranks);
  return 0;
}

}  // namespace
}  // namespace adarun::bench

int main(int argc, char** argv) {
  try {
    return adarun::bench::bench(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench-scale: %s\n", error.what());
    return 3;
  }
}
