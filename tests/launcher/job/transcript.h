// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "tests/launcher/job/job_harness.h"

namespace adarun::launcher {

/// A job and everything that goes in and out of it, as lines of text: what its nodes say, what it sends them,
/// what its observer is called with, when it next wants to be called, and its report. Two nodes of two ranks
/// each, or those of `plan`; the scenario simulates clock, network and agents.
class JobTranscript : public JobHarness {
 public:
  explicit JobTranscript(Plan plan, Texts spares = {});

  /// Input. Each writes a line, then what the job does.
  void deal(const TransportEvent& event) override;
  void pass(std::chrono::milliseconds time) override;
  void cut(std::uint32_t node, const std::string& reason) { deal({node, LinkCut{reason}}); }
  void find_again(std::uint32_t node) { deal({node, LinkResumed{}}); }
  void sleep(std::chrono::milliseconds time);  ///< The job is not called meanwhile: it is suspended.
  void interrupt(int signal);
  void forward(int signal);
  void resize();
  void suspend();
  void continue_();

  /// What agents usually say: as of JobHarness, and that they are ready.
  void start_all();

  /// Ends the transcript with the report, and compares it with the file `name`.txt of the folder transcripts;
  /// with ADARUN_WRITE_TRANSCRIPTS set in the environment, writes that file instead.
  void compare(const std::string& name);

 private:
  void on_lost(std::uint32_t node, const std::string& reason) override {
    call("on_lost " + std::to_string(node) + ": " + reason);
  }
  void on_greeted(std::uint32_t node, const protocol::Hello& /*hello*/) override {
    call("on_greeted " + std::to_string(node));
  }
  void on_plan_sent() override { call("on_plan_sent"); }
  void on_staging(const StageProgress& progress) override {
    call("on_staging: " + std::to_string(progress.nodes_done) + " of " + std::to_string(progress.nodes) +
         " nodes, " + std::to_string(progress.bytes_sent) + " of " + std::to_string(progress.bytes_due) +
         " bytes");
  }
  void on_ready(std::uint32_t node, const protocol::Ready& /*ready*/) override {
    call("on_ready " + std::to_string(node));
  }
  void on_started(const protocol::Started& started) override {
    call("on_started " + std::to_string(started.rank) + ", pid " + std::to_string(started.pid));
  }
  void on_left(std::uint32_t rank) override { call("on_left " + std::to_string(rank)); }
  void on_joined(std::uint32_t rank) override { call("on_joined " + std::to_string(rank)); }
  void on_fence(const protocol::FenceDone& /*fence*/) override { call("on_fence"); }
  void on_output(std::uint32_t rank, protocol::Stream stream, std::string_view bytes) override;
  void on_halted(std::uint32_t rank, int signal) override {
    call("on_halted " + std::to_string(rank) + ", signal " + std::to_string(signal));
  }
  void on_exited(std::uint32_t rank, const RankRecord& record) override;
  void on_examined(const ExaminedRank& examined) override;
  void on_failure(const Failure& failure) override;
  void on_members(const protocol::Members& members, const std::string& why) override;
  void on_replaced(std::uint32_t node, const std::string& lost) override {
    call("on_replaced " + std::to_string(node) + ", lost " + lost);
  }
  void on_stopping(const protocol::Stop& stop) override {
    call(std::string("on_stopping") + (stop.now ? " at once" : ""));
  }
  void on_forwarded(int signal) override { call("on_forwarded " + std::to_string(signal)); }
  void on_notice(const std::string& text) override { call("on_notice " + text); }

  void settle();
  void write(const std::string& line) { text_ += line + '\n'; }
  void call(const std::string& text) { write("    " + text); }

  std::optional<Job::Clock::time_point> deadline_;
  bool was_ended_ = false;
  std::string text_;
};

}  // namespace adarun::launcher
