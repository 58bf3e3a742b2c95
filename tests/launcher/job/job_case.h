// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "launcher/job/job.h"
#include "tests/launcher/plan/sample_plan.h"

namespace adarun::launcher {

using namespace std::chrono_literals;

/// Two nodes of two ranks each; the test simulates the clock, the network and the agents.
class JobTest : public testing::Test, public JobObserver {
 protected:
  explicit JobTest(const JobOptions& options = {.timeout = 1h})
      : plan_(plan_of("n[0-1]:2", options)), job_(plan_, *this, now_) {}

  void hear(std::uint32_t node, protocol::Message message) {
    job_.on_event({node, std::move(message)}, now_);
  }
  void lose(std::uint32_t node, const std::string& why) { job_.on_event({node, LinkLost{why}}, now_); }
  void pass(std::chrono::milliseconds time) {
    now_ += time;
    job_.on_time(now_);
  }
  void greet(std::uint32_t node) { hear(node, protocol::Hello{ADARUN_VERSION, "h", 1, 0}); }
  void start_all() {
    greet(0);
    greet(1);
    for (std::uint32_t rank = 0; rank < 4; ++rank) hear(rank / 2, protocol::Started{rank, 100 + rank, 0, {}});
    job_.take_outgoing();
  }
  void exit(std::uint32_t rank, int code, int signal = 0, bool ours = false) {
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
    hear(0, protocol::Done{});
    hear(1, protocol::Done{});
  }
  template <typename T>
  std::size_t sent() {
    std::size_t count = 0;
    for (const Outgoing& out : job_.take_outgoing())
      count += std::holds_alternative<T>(out.message) ? out.nodes.size() : 0;
    return count;
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

  Plan plan_;
  Job::Clock::time_point now_{};
  bool mpi_ = false;
  bool throw_ = false;
  std::vector<std::string> notices_;
  std::string output_;
  std::string steps_;
  Job job_;
};

}  // namespace adarun::launcher
