// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "launcher/agent/channel.h"
#include "launcher/agent/diagnostics.h"
#include "launcher/agent/ending.h"
#include "launcher/agent/environment.h"
#include "launcher/agent/fetching.h"
#include "launcher/agent/folder.h"
#include "launcher/agent/inquiries.h"
#include "launcher/agent/lifeline.h"
#include "launcher/agent/pmi/server.h"
#include "launcher/agent/pmix/server.h"
#include "launcher/agent/poll.h"
#include "launcher/agent/rank.h"
#include "launcher/agent/rank_care.h"
#include "launcher/agent/recall.h"
#include "launcher/agent/rendezvous.h"
#include "launcher/agent/signals.h"
#include "launcher/agent/staging.h"
#include "launcher/posix/file_descriptor.h"

namespace adarun::agent {

/// One conversation with a launcher (launcher/wire/messages.h), and every process that it leads to. One loop
/// on the main thread, in which nothing blocks. However the conversation ends, `run` returns only when no
/// descendant of this process is left and the job's folders are removed. At most one per process.
class Agent {
 public:
  /// How long a connected launcher may think before it says Start.
  static constexpr std::chrono::minutes start_patience{10};

  /// How long a launcher that has hung up after the last frame is expected back for it.
  static constexpr std::chrono::seconds return_patience{5};

  /// How long one that was told to end waits for a launcher that is silent, at most.
  static constexpr std::chrono::seconds told_patience{5};

  /// How long the last frames may take when nobody may be there to read them.
  static constexpr std::chrono::seconds farewell_patience{1};

  /// Speaks over `connection`; ranks inherit `environment`; `note` goes into the Hello. Throws agent::Error.
  Agent(Connection connection, Environment environment, Lifeline lifeline, const std::string& note);

  /// Runs the job to its end. The exit status: 0 when the launcher has had its Done without a Failed.
  int run();

 private:
  enum class Stage { connected, working, leaving, gone };

  void turn();
  void watch(Poll& poll);
  void note_holding(bool holds_ranks_up);
  void take_signals();
  void receive();
  void relay_mpi();
  void read_report(Rank& rank);
  void send_output(Rank& rank);
  void inquire();
  void stage(const std::function<void()>& step);
  void reap();
  void settle(Rank& rank);
  void add_mpi(wire::Exited& exited) const;
  void settle_all();
  void end_processes();
  std::optional<Clock::time_point> lease_end() const;
  void check_lease();
  void leave();

  void handle(const wire::Message& message);
  void start(const wire::Start& order);
  void set_up(const wire::Start& start);
  Folder& make_folder(const std::string& path);
  wire::Ready set_up_mpi(const wire::Start& start, Folder& scratch);
  void finish_fence(const wire::FenceDone& done);
  void start_rank(const wire::RankPart& part);
  void forward(int number);
  void suspend(const wire::Suspend& order);

  void end(Pace pace);
  void fail(wire::Failure failure, const std::string& message);
  void lose(const std::string& why);

  void open_rendezvous(const wire::Start& start);
  void remove_folders();
  void meet();
  void hang_up(const std::string& why);
  void keep_undelivered();
  void recall(const wire::Recall& order);
  void go_on_recalling();
  void fetch(const std::function<void()>& order);
  void go_on_fetching();

  std::vector<pid_t> groups() const;

  Signals signals_;
  Channel channel_;
  Diagnostics diagnostics_{channel_};
  Environment environment_;
  Inquiries inquiries_;
  Lifeline lifeline_;
  Staging staging_;
  Fetching fetching_;
  Clock::time_point now_ = Clock::now();

  Stage stage_ = Stage::connected;
  int status_ = 0;
  bool failed_ = false;
  bool lost_ = false;  ///< Nobody is there any more: bytes may be dropped, none are awaited.
  std::string spool_;  ///< Where undelivered output is kept.
  std::optional<Rendezvous> rendezvous_;  ///< Where a cut connection is not the end.
  bool has_children_ = false;
  bool kills_ = false;  ///< KILL has been sent.
  bool suspended_ = false;
  Clock::time_point leaving_since_;
  std::uint64_t done_position_ = 0;                 ///< In the stream to the launcher, behind Done.
  std::optional<Clock::time_point> holding_since_;  ///< Ranks are not read, as the launcher takes nothing.
  std::chrono::milliseconds lease_{start_patience};
  std::optional<std::uint64_t> ping_;
  Ending ending_;
  wire::Common common_;
  std::list<Folder> folders_;  ///< The first: scratch.
  std::optional<Recalling> recalling_;
  std::unique_ptr<pmix::Server> pmix_;
  std::optional<pmi::Server> pmi_;
  std::optional<RankCare> care_;  ///< Once there was a Start.
  std::list<Rank> ranks_;
};

}  // namespace adarun::agent
