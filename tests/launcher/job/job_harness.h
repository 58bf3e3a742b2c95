// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/version.h"
#include "launcher/job/job.h"
#include "tests/launcher/plan/sample_plan.h"

namespace adarun::launcher {

using namespace std::chrono_literals;
using RankList = std::vector<std::uint32_t>;
using Texts = std::vector<std::string>;

/// A job with a timeout of an hour on two nodes of two ranks each, unless it is made otherwise, and what its
/// observer is told. The test simulates the clock, the network and the agents.
class JobHarness : public JobObserver {
 public:
  /// `spares`: hosts that take the places of lost nodes.
  explicit JobHarness(Plan plan, Texts spares = {})
      : plan_(std::move(plan)),
        spares_(std::move(spares)),
        job_(
            plan_, *this, now_, spares_.empty() ? NodeReplacement::TakePlace() : [this](std::uint32_t node) {
              return take_place(node);
            }) {}
  explicit JobHarness(const JobOptions& options = {.timeout = 1h}, const std::string& hosts = "n[0-1]:2",
                      const AttemptOptions& attempt = {}, Texts spares = {})
      : JobHarness(plan_of(hosts, options, attempt), std::move(spares)) {}

  /// An event of a node, and the passage of time; the other functions are made of these.
  virtual void deal(const TransportEvent& event) { job_.on_event(event, now_); }
  virtual void pass(std::chrono::milliseconds time) {
    now_ += time;
    job_.on_time(now_);
  }
  void pass_to_deadline() {
    ASSERT_TRUE(job_.deadline());
    pass(std::chrono::ceil<std::chrono::milliseconds>(*job_.deadline() - now_));
  }
  void hear(std::uint32_t node, protocol::Message message) {
    if (const auto* joined = std::get_if<protocol::Joined>(&message)) in_mpi_.insert(joined->rank);
    deal({node, std::move(message)});
  }
  void hear_from_all(const protocol::Message& message) {
    for (std::uint32_t node = 0; node < plan_.nodes.size(); ++node) hear(node, message);
  }
  void lose(std::uint32_t node, const std::string& why, std::chrono::milliseconds runs_on = {}) {
    deal({node, LinkLost{why, runs_on}});
  }

  /// What agents usually say.
  void greet(std::uint32_t node) {
    hear(node, protocol::Hello{base::version(), plan_.nodes[node].host.name, 1, 0});
  }
  void greet_all() {
    for (std::uint32_t node = 0; node < plan_.nodes.size(); ++node) greet(node);
  }
  void start_ranks(const RankList& ranks) {
    for (const std::uint32_t rank : ranks) hear(node_of(rank), protocol::Started{rank, 100 + rank, 0, {}});
  }
  void start_all() {
    greet_all();
    start_ranks({0, 1, 2, 3});
    job_.take_outgoing();
  }
  void join(const RankList& ranks) {
    for (const std::uint32_t rank : ranks) hear(node_of(rank), protocol::Joined{rank});
  }
  void stay_on(const RankList& ranks) {
    for (const std::uint32_t rank : ranks) {
      hear(node_of(rank), protocol::ListensAt{rank, "h:" + std::to_string(rank + 1)});
      hear(node_of(rank), protocol::StaysOn{rank});
    }
  }
  void print(const RankList& ranks, const std::string& text = "x\n") {
    for (const std::uint32_t rank : ranks)
      hear(node_of(rank), protocol::Output{rank, protocol::Stream::out, text});
  }
  /// A rank that has joined MPI leaves it as it should if it ends well, else open.
  void exit(std::uint32_t rank, int code = 0, int signal = 0, bool ours = false) {
    protocol::Exited exited{.rank = rank, .code = code, .signal = signal, .stopped_by_us = ours};
    exited.mpi_connected = in_mpi_.erase(rank) != 0;
    exited.mpi_finalized = exited.mpi_connected && code == 0 && signal == 0;
    exited.time_ns = std::chrono::nanoseconds(now_.time_since_epoch()).count();
    hear(node_of(rank), exited);
  }
  void exit_well(const RankList& ranks) {
    for (const std::uint32_t rank : ranks) exit(rank);
  }
  void be_stopped(const RankList& ranks, int signal = 15) {
    for (const std::uint32_t rank : ranks) exit(rank, 0, signal, true);
  }
  void done_all() { hear_from_all(protocol::Done{}); }

  /// The exit status of the job, which ends as all nodes are done.
  int end() {
    done_all();
    EXPECT_TRUE(job_.ended());
    return job_.report().exit_status();
  }

  /// The messages of a kind that the job has sent since the last call of this, of nodes_told() or of stops();
  /// those of other kinds are lost.
  template <typename Kind>
  std::vector<Kind> sent() {
    std::vector<Kind> found;
    for (const Outgoing& out : job_.take_outgoing())
      if (const auto* message = std::get_if<Kind>(&out.message)) found.push_back(*message);
    return found;
  }

  /// How many nodes these went to, each counted as often as it got one.
  template <typename Kind>
  std::size_t nodes_told() {
    std::size_t count = 0;
    for (const Outgoing& out : job_.take_outgoing())
      count += std::holds_alternative<Kind>(out.message) ? out.nodes.size() : 0;
    return count;
  }
  bool stops() { return nodes_told<protocol::Stop>() > 0; }

  /// The failure that the job reports; empty if there is none.
  std::string failure() const {
    const std::vector<Failure>& failures = job_.report().failures;
    return failures.empty() ? "" : failures.front().message;
  }
  std::uint32_t node_of(std::uint32_t rank) const { return plan_.node_of_rank[rank]; }

  void on_failure(const Failure& /*failure*/) override {
    if (throw_) throw std::runtime_error("disk full");
  }
  void on_examined(const ExaminedRank& examined) override {
    notices_.push_back(std::to_string(examined.rank) + ": " + examined.text);
  }
  void on_notice(const std::string& text) override { notices_.push_back(text); }
  void on_ready(std::uint32_t node, const protocol::Ready& ready) override {
    steps_ += std::to_string(node) + (ready.mpi ? " with MPI;" : " without MPI;");
  }
  void on_stopping(const protocol::Stop& stop) override { steps_ += stop.now ? "KILL;" : "TERM;"; }
  void on_forwarded(int signal) override { steps_ += "signal " + std::to_string(signal) + ";"; }
  void on_output(std::uint32_t rank, protocol::Stream /*stream*/, std::string_view bytes) override {
    if (throw_) throw std::runtime_error("disk full");
    output_ += std::to_string(rank) + ":" + std::string(bytes) + ";";
  }
  void on_joined(std::uint32_t /*rank*/) override { ++joined_; }
  void on_left(std::uint32_t rank) override { left_.push_back(rank); }
  void on_members(const protocol::Members& /*members*/, const std::string& why) override {
    reasons_.push_back(why);
  }
  void on_replaced(std::uint32_t /*node*/, const std::string& lost) override { replaced_.push_back(lost); }

  Plan plan_;
  Job::Clock::time_point now_{};
  bool throw_ = false;  ///< The observer cannot write any more.
  Texts notices_;
  Texts reasons_;  ///< Of changes of the members.
  RankList left_;
  std::string output_;
  std::string steps_;
  std::size_t joined_ = 0;
  Texts replaced_;
  Texts spares_;  ///< Those that are left.
  std::set<std::uint32_t> in_mpi_;
  Job job_;

 private:
  std::string take_place(std::uint32_t node) {
    if (spares_.empty()) return "no spare can take its place";
    plan_.nodes[node].host.name = spares_.front();
    spares_.erase(spares_.begin());
    return "";
  }
};

/// The same as a fixture.
class JobTest : public testing::Test, public JobHarness {
 protected:
  using JobHarness::JobHarness;
};

}  // namespace adarun::launcher
