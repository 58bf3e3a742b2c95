// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "launcher/agent/base/poll.h"
#include "launcher/agent/mpi/mpi_server.h"
#include "launcher/protocol/messages.h"

namespace adarun::launcher::agent::pmix {

/// Serves PMIx, through which Open MPI ranks find each other. libpmix does the work on its own thread. At
/// most one at a time in a process.
class PmixServer : public MpiServer {
 public:
  /// Loads libpmix and describes the job to it. `folder` (0700) is for its files. Blocks for half the lease
  /// and 30 s at most. Throws agent::Error if there is no libpmix, it fails or takes longer.
  PmixServer(const protocol::Start& start, const std::string& folder);

  /// Stops receiving requests from libpmix, whose thread runs until the process ends. Call when the ranks are
  /// gone.
  ~PmixServer() override;

  RankStart admit(std::uint32_t rank, std::uint32_t restarts) override;
  void watch(Poll& poll) override;
  std::vector<protocol::Message> collect() override;
  bool has_connected(std::uint32_t rank) const override;
  bool has_finalized(std::uint32_t rank) const override;
  void take(const protocol::Message& message) override;

 private:
  struct State;

  void set_up(const std::string& folder);
  void finish_fence(const protocol::FenceDone& done);
  void answer_request(const protocol::ModexRequest& request);
  void take_reply(const protocol::ModexReply& reply);
  void take_names(const protocol::NameReply& reply);
  void keep_state();

  std::unique_ptr<State> state_;
};

}  // namespace adarun::launcher::agent::pmix
