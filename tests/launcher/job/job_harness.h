// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "launcher/job/job.h"
#include "tests/launcher/plan/sample_plan.h"

namespace adarun::launcher {

using namespace std::chrono_literals;

/// The messages of a kind that a job has sent since its messages were last taken; those of other kinds are
/// lost.
template <typename Kind>
std::vector<Kind> sent_by(Job& job) {
  std::vector<Kind> found;
  for (const Outgoing& out : job.take_outgoing())
    if (const auto* message = std::get_if<Kind>(&out.message)) found.push_back(*message);
  return found;
}

/// A job with a timeout of an hour on two nodes of two ranks each, unless it is made otherwise, and what its
/// observer is told. The test simulates the clock, the network and the agents.
class JobHarness : public JobObserver {
 public:
  explicit JobHarness(const JobOptions& options = {.timeout = 1h}, const std::string& hosts = "n[0-1]:2",
                      const AttemptOptions& attempt = {}, NodeReplacement::TakePlace take_place = {})
      : plan_(plan_of(hosts, options, attempt)), job_(plan_, *this, now_, std::move(take_place)) {}

  void hear(std::uint32_t node, protocol::Message message) {
    job_.on_event({node, std::move(message)}, now_);
  }
  void lose(std::uint32_t node, const std::string& why, std::chrono::milliseconds runs_on = {}) {
    job_.on_event({node, LinkLost{why, runs_on}}, now_);
  }
  void pass(std::chrono::milliseconds time) {
    now_ += time;
    job_.on_time(now_);
  }
  void greet(std::uint32_t node) { hear(node, protocol::Hello{ADARUN_VERSION, "h", 1, 0}); }
  void start_all() {
    for (const std::uint32_t node : {0U, 1U}) greet(node);
    for (std::uint32_t rank = 0; rank < 4; ++rank) hear(rank / 2, protocol::Started{rank, 100 + rank, 0, {}});
    job_.take_outgoing();
  }
  void exit(std::uint32_t rank, int code = 0, int signal = 0, bool ours = false) {
    protocol::Exited exited;
    exited.rank = rank;
    exited.code = code;
    exited.signal = signal;
    exited.stopped_by_us = ours;
    exited.mpi_connected = mpi_;
    exited.mpi_finalized = mpi_;
    exited.time_ns = 1;
    hear(rank / 2, exited);
  }
  void done_all() {
    for (const std::uint32_t node : {0U, 1U}) hear(node, protocol::Done{});
  }

  /// The messages of a kind since the last call of this or of nodes_told().
  template <typename Kind>
  std::vector<Kind> sent() {
    return sent_by<Kind>(job_);
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

  void on_failure(const Failure&) override {
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
  void on_output(std::uint32_t rank, protocol::Stream, std::string_view bytes) override {
    if (throw_) throw std::runtime_error("disk full");
    output_ += std::to_string(rank) + ":" + std::string(bytes) + ";";
  }
  void on_joined(std::uint32_t) override { ++joined_; }
  void on_left(std::uint32_t rank) override { left_.push_back(rank); }
  void on_members(const protocol::Members& /*members*/, const std::string& why) override {
    reasons_.push_back(why);
  }

  Plan plan_;
  Job::Clock::time_point now_{};
  bool mpi_ = false;    ///< Whether ranks that exit were in MPI.
  bool throw_ = false;  ///< The observer cannot write any more.
  std::vector<std::string> notices_;
  std::vector<std::string> reasons_;  ///< Of changes of the members.
  std::vector<std::uint32_t> left_;
  std::string output_;
  std::string steps_;
  std::size_t joined_ = 0;
  Job job_;
};

/// The same as a fixture.
class JobTest : public testing::Test, public JobHarness {
 protected:
  using JobHarness::JobHarness;
};

}  // namespace adarun::launcher
