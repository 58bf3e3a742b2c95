// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>
#include <chrono>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/file_descriptor.h"
#include "launcher/agent/base/poll.h"
#include "launcher/agent/base/signals.h"
#include "launcher/agent/connection/channel.h"
#include "launcher/agent/connection/diagnostic_sender.h"
#include "launcher/agent/connection/kept_output.h"
#include "launcher/agent/connection/reconnect_socket.h"
#include "launcher/agent/files/file_sender.h"
#include "launcher/agent/files/folder.h"
#include "launcher/agent/files/stage_receiver.h"
#include "launcher/agent/mpi/mpi_servers.h"
#include "launcher/agent/probe/query_runner.h"
#include "launcher/agent/ranks/environment.h"
#include "launcher/agent/ranks/rank_process.h"
#include "launcher/agent/ranks/rank_resources.h"
#include "launcher/agent/ranks/termination.h"
#include "launcher/agent/watchdog/heartbeat_pipe.h"

namespace adarun::launcher::agent {

/// One conversation with a launcher (launcher/protocol/messages.h), and every process that it leads to. One
/// loop on the main thread, in which nothing blocks. However the conversation ends, `run` returns only when
/// no descendant of this process is left and the job's folders are removed. At most one per process.
class Agent {
 public:
  /// How long a launcher that has hung up after the last frame is expected back for it.
  static constexpr std::chrono::seconds return_timeout{5};

  /// How long one that was told to end waits for a launcher that is silent, at most.
  static constexpr std::chrono::seconds told_timeout{5};

  /// How long the last frames may take when nobody may be there to read them.
  static constexpr std::chrono::seconds farewell_timeout{1};

  /// Speaks over `connection`; ranks inherit `environment`; `note` goes into the Hello. Throws agent::Error.
  Agent(Connection connection, Environment environment, HeartbeatPipe heartbeat_pipe,
        const std::string& note);

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
  void read_report(RankProcess& rank);
  void send_output(RankProcess& rank);
  void inquire();
  void stage(const std::function<void()>& step);
  void reap();
  void settle(RankProcess& rank);
  void settle_all();
  void end_processes();
  std::optional<Clock::time_point> lease_end() const;
  void check_lease();
  void leave();

  void handle(const protocol::Message& message);
  void start(const protocol::Start& order);
  void set_up(const protocol::Start& start);
  Folder& make_folder(const std::string& path);
  protocol::Ready set_up_mpi(const protocol::Start& start, Folder& scratch);
  void start_rank(const protocol::RankSpec& part);
  void forward(int number);
  void suspend(const protocol::Suspend& order);

  void end(TerminationMode pace);
  void fail(protocol::StartFailure failure, const std::string& message);
  void lose(const std::string& why);

  void open_rendezvous(const protocol::Start& start);
  void remove_folders();
  void meet();
  void hang_up(const std::string& why);
  void keep_undelivered();
  void recall(const protocol::Recall& order);
  void go_on_recalling();
  void fetch(const std::function<void()>& order);
  void go_on_fetching();

  std::vector<pid_t> groups() const;

  Signals signals_;
  Channel channel_;
  DiagnosticSender diagnostics_{channel_};
  Environment environment_;
  QueryRunner query_runner_;
  HeartbeatPipe heartbeat_;
  StageReceiver stage_receiver_;
  FileSender file_sender_;
  Clock::time_point now_ = Clock::now();

  Stage stage_ = Stage::connected;
  int status_ = 0;
  bool failed_ = false;
  bool lost_ = false;  ///< Nobody is there any more: bytes may be dropped, none are awaited.
  std::string spool_;  ///< Where undelivered output is kept.
  std::optional<ReconnectSocket> rendezvous_;  ///< Where a cut connection is not the end.
  bool has_children_ = false;
  bool kills_ = false;  ///< KILL has been sent.
  bool suspended_ = false;
  Clock::time_point leaving_since_;
  std::uint64_t done_position_ = 0;                 ///< In the stream to the launcher, behind Done.
  std::optional<Clock::time_point> holding_since_;  ///< Ranks are not read, as the launcher takes nothing.
  std::chrono::milliseconds lease_{start_timeout};
  std::optional<std::uint64_t> ping_;
  Termination termination_;
  protocol::JobSpec job_spec_;
  std::list<Folder> folders_;  ///< The first: scratch.
  std::optional<KeptOutput> kept_output_;
  MpiServers mpi_;
  std::optional<RankResources> resources_;  ///< Once there was a Start.
  std::list<RankProcess> ranks_;
};

}  // namespace adarun::launcher::agent
