// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "launcher/job/job.h"
#include "launcher/plan/plan.h"

namespace adarun::launcher {

/// A job and everything that goes in and out of it, as lines of text: what its nodes say, what it sends them,
/// what its observer is called with, when it next wants to be called, and its report. Two nodes of two ranks
/// each, or those of `plan`; the scenario simulates clock, network and agents.
class JobTranscript : private JobObserver {
 public:
  explicit JobTranscript(Plan plan, NodeReplacement::TakePlace take_place = {});
  JobTranscript(const JobTranscript&) = delete;
  JobTranscript& operator=(const JobTranscript&) = delete;

  /// Input. Each writes a line, then what the job does.
  void hear(std::uint32_t node, const protocol::Message& message);
  void lose(std::uint32_t node, const std::string& reason, std::chrono::milliseconds runs_on = {});
  void cut(std::uint32_t node, const std::string& reason);
  void find_again(std::uint32_t node);
  void pass(std::chrono::milliseconds time);
  void pass_to_deadline();
  void sleep(std::chrono::milliseconds time);  ///< The job is not called meanwhile: it is suspended.
  void interrupt(int signal);
  void forward(int signal);
  void resize();
  void suspend();
  void continue_();

  /// What agents usually say.
  void greet_all();
  void start_ranks(const std::vector<std::uint32_t>& ranks);
  void start_all();
  void join_all();
  void stay_on(const std::vector<std::uint32_t>& ranks);
  void print(std::uint32_t rank, const std::string& text);
  void exit(std::uint32_t rank, int code, int signal = 0, bool stopped_by_us = false);
  void done_all();

  /// Hosts that take the places of lost nodes; for the job's take_place.
  std::string take_place(std::uint32_t node);
  void add_spare(const std::string& host) { spares_.push_back(host); }

  /// Ends the transcript with the report, and compares it with the file `name`.txt of the folder transcripts;
  /// with ADARUN_WRITE_TRANSCRIPTS set in the environment, writes that file instead.
  void compare(const std::string& name);

 private:
  void on_lost(std::uint32_t node, const std::string& reason) override;
  void on_greeted(std::uint32_t node, const protocol::Hello& hello) override;
  void on_plan_sent() override;
  void on_staging(const StageProgress& progress) override;
  void on_ready(std::uint32_t node, const protocol::Ready& ready) override;
  void on_started(const protocol::Started& started) override;
  void on_left(std::uint32_t rank) override;
  void on_joined(std::uint32_t rank) override;
  void on_fence(const protocol::FenceDone& fence) override;
  void on_output(std::uint32_t rank, protocol::Stream stream, std::string_view bytes) override;
  void on_halted(std::uint32_t rank, int signal) override;
  void on_exited(std::uint32_t rank, const RankRecord& record) override;
  void on_examined(const ExaminedRank& examined) override;
  void on_failure(const Failure& failure) override;
  void on_members(const protocol::Members& members, const std::string& why) override;
  void on_replaced(std::uint32_t node, const std::string& lost) override;
  void on_stopping(const protocol::Stop& stop) override;
  void on_forwarded(int signal) override;
  void on_notice(const std::string& text) override;

  void deal(std::uint32_t node, const std::string& text, TransportEvent event);
  void settle();
  void write(const std::string& line) { text_ += line + '\n'; }
  void call(const std::string& text) { write("    " + text); }
  std::uint32_t node_of(std::uint32_t rank) const { return plan_.node_of_rank[rank]; }

  Plan plan_;
  Job::Clock::time_point now_{};
  std::optional<Job::Clock::time_point> deadline_;
  bool was_ended_ = false;
  std::vector<std::string> spares_;
  std::set<std::uint32_t> joined_;
  std::string text_;
  Job job_;
};

}  // namespace adarun::launcher
