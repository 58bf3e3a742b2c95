// SPDX-License-Identifier: Apache-2.0
#include "launcher/record/start_trace.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/wall_clock.h"
#include "launcher/record/files.h"

namespace adarun::launcher {
namespace {

using nlohmann::ordered_json;

// Row of the launcher, and in a node's process of connecting to its agent; rank r is row r + 1.
constexpr std::uint64_t first_row = 0;
// Limit of recorded events: a program may use many fences, and those of its start come first.
constexpr std::size_t most_instants = 10'000;

double microseconds(std::int64_t nanoseconds) {
  return static_cast<double>(nanoseconds) / 1e3;
}

ordered_json label(const char* what, std::uint64_t process, std::uint64_t row, const std::string& name) {
  return {{"name", what}, {"ph", "M"}, {"pid", process}, {"tid", row}, {"args", {{"name", name}}}};
}

}  // namespace

StartTrace::StartTrace(const Plan& plan, std::int64_t begun_ns)
    : plan_(plan),
      nodes_(plan.nodes.size()),
      ranks_(plan.world_size()),
      printed_(plan.world_size()),
      started_(plan.world_size()),
      all_starting_(plan.world_size()) {
  launcher_ = {{"resolve names, plan", begun_ns, 0}};
  enter(launcher_, "connect all nodes", base::now_ns());
  for (const NodePlan& node : plan.nodes)
    starting_.push_back(static_cast<std::uint32_t>(node.start.ranks.size()));
}

void StartTrace::enter(Row& row, const std::string& name, std::int64_t now_ns) {
  leave(row, now_ns);
  row.push_back({name, now_ns, 0});
}

void StartTrace::leave(Row& row, std::int64_t now_ns) {
  if (!row.empty() && row.back().end_ns == 0) row.back().end_ns = now_ns;
}

void StartTrace::on_step(std::uint32_t node, const LinkStep& step) {
  enter(nodes_[node], step.name, step.time_ns);
}

void StartTrace::on_greeted(std::uint32_t node, const protocol::Hello& /*hello*/) {
  enter(nodes_[node], "wait for all nodes", base::now_ns());
}

void StartTrace::on_plan_sent() {
  const std::int64_t now_ns = base::now_ns();
  for (Row& row : nodes_) enter(row, "set up", now_ns);
  for (Row& row : ranks_) enter(row, "start", now_ns);
  enter(launcher_, "start all ranks", now_ns);
}

void StartTrace::on_ready(std::uint32_t node, const protocol::Ready& /*ready*/) {
  enter(nodes_[node], "fork ranks", base::now_ns());
}

void StartTrace::on_started(const protocol::Started& started) {
  const std::int64_t now_ns = base::now_ns();
  const std::uint32_t node = plan_.node_of_rank[started.rank];
  enter(ranks_[started.rank], "until it joins MPI or prints", now_ns);
  printed_[started.rank] = false;
  if (started_[started.rank]) return;  // It is started again.
  started_[started.rank] = true;
  if (--starting_[node] == 0) enter(nodes_[node], "run", now_ns);
  if (--all_starting_ == 0) enter(launcher_, "run", now_ns);
}

void StartTrace::on_joined(std::uint32_t rank) {
  if (!printed_[rank]) enter(ranks_[rank], "in MPI, until its first line", base::now_ns());
}

void StartTrace::on_fence(const protocol::FenceDone& fence) {
  if (instants_.size() >= most_instants) return;
  instants_.push_back({"fence: " + std::to_string(fence.data.size()) + " bytes", base::now_ns()});
}

void StartTrace::on_output(std::uint32_t rank, protocol::Stream /*stream*/, std::string_view /*bytes*/) {
  if (printed_[rank]) return;
  printed_[rank] = true;
  enter(ranks_[rank], "run", base::now_ns());
}

void StartTrace::on_exited(std::uint32_t rank, const RankRecord& /*record*/) {
  leave(ranks_[rank], base::now_ns());
}

void StartTrace::on_failure(const Failure& failure) {
  instants_.push_back({failure.message, base::now_ns()});
}

void StartTrace::write(const std::filesystem::path& file) {
  const std::int64_t now_ns = base::now_ns();
  const std::int64_t zero_ns = launcher_.front().begin_ns;
  ordered_json events = ordered_json::array();
  const auto add = [&](Row& row, std::uint64_t process, std::uint64_t number) {
    leave(row, now_ns);
    for (const Stretch& stretch : row)
      events.push_back({{"name", stretch.name},
                        {"ph", "X"},
                        {"pid", process},
                        {"tid", number},
                        {"ts", microseconds(stretch.begin_ns - zero_ns)},
                        {"dur", microseconds(std::max<std::int64_t>(0, stretch.end_ns - stretch.begin_ns))}});
  };
  events.push_back(label("process_name", 0, first_row, "adarun"));
  add(launcher_, 0, first_row);
  for (const Instant& instant : instants_)
    events.push_back({{"name", instant.name},
                      {"ph", "i"},
                      {"s", "g"},
                      {"pid", 0},
                      {"tid", first_row},
                      {"ts", microseconds(instant.time_ns - zero_ns)}});
  for (std::size_t node = 0; node < nodes_.size(); ++node) {
    events.push_back(label("process_name", node + 1, first_row, plan_.nodes[node].host.name));
    events.push_back(label("thread_name", node + 1, first_row, "agent"));
    add(nodes_[node], node + 1, first_row);
  }
  for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
    const std::uint64_t process = plan_.node_of_rank[rank] + 1U;
    events.push_back(label("thread_name", process, rank + 1, "rank " + std::to_string(rank)));
    add(ranks_[rank], process, rank + 1);
  }
  const ordered_json trace{{"displayTimeUnit", "ms"}, {"traceEvents", std::move(events)}};
  replace_file(file, trace.dump(-1, ' ', false, ordered_json::error_handler_t::replace) + "\n");
}

}  // namespace adarun::launcher
