// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <variant>
#include <vector>

#include "base/file_descriptor.h"
#include "launcher/agent/mpi/pmix/library.h"
#include "launcher/protocol/messages.h"

namespace adarun::launcher::agent::pmix {

/// All local participants have entered a fence. `answer(..., caller, ...)` releases them.
struct FenceCall {
  std::vector<std::uint32_t> participants;  ///< Sorted; empty: the whole job.
  std::string data;
  pmix_modex_cbfunc_t answer = nullptr;
  void* caller = nullptr;
};

/// A local rank wants what rank `rank` of another node published.
struct ModexCall {
  std::uint32_t rank = 0;
  pmix_modex_cbfunc_t answer = nullptr;
  void* caller = nullptr;
};

/// The data that a local rank published, requested by another node.
struct ModexData {
  std::uint32_t asking_node = 0;
  std::uint64_t id = 0;
  pmix_status_t status = PMIX_SUCCESS;
  std::string data;
};

/// A local rank called MPI_Abort and waits for `answer(..., caller)`.
struct AbortCall {
  std::uint32_t rank = 0;
  std::int32_t status = 0;
  std::string message;
  pmix_op_cbfunc_t answer = nullptr;
  void* caller = nullptr;
};

/// A local rank called MPI_Comm_spawn. It is not answered: the job ends.
struct SpawnCall {
  std::uint32_t rank = 0;
  std::string wanted;  ///< "2 processes of ./worker"
};

/// All local participants connect to each other, or end that. `answer(..., caller)` releases them.
struct ConnectCall {
  protocol::Service service = protocol::Service::pmix_connect;
  std::vector<std::uint32_t> participants;  ///< Sorted; empty: the whole job.
  pmix_op_cbfunc_t answer = nullptr;
  void* caller = nullptr;
};

/// A local rank publishes names, looks them up, or withdraws them. One of the functions releases it.
struct NameCall {
  protocol::NameRequest request;
  pmix_op_cbfunc_t answer = nullptr;
  pmix_lookup_cbfunc_t found = nullptr;
  void* caller = nullptr;
};

/// A local rank has connected to the server: it is not a singleton.
struct ClientConnected {
  std::uint32_t rank = 0;
};

/// A local rank has called MPI_Finalize.
struct ClientFinalized {
  std::uint32_t rank = 0;
};

using ServerEvent = std::variant<FenceCall, ModexCall, ModexData, AbortCall, SpawnCall, ConnectCall, NameCall,
                                 ClientConnected, ClientFinalized>;

/// Carries events from libpmix's thread to the agent's loop.
class Mailbox {
 public:
  /// Throws agent::Error.
  Mailbox();

  /// Thread-safe. Blocks only for the lock.
  void post(ServerEvent event);

  /// Removes and returns all events, in order.
  std::vector<ServerEvent> take();

  /// Readable while there are events.
  int fd() const { return fd_.get(); }

 private:
  base::FileDescriptor fd_;
  std::mutex mutex_;
  std::vector<ServerEvent> events_;
};

/// The callbacks that libpmix calls on its own thread. Each posts an event to `mailbox` and returns.
/// `mailbox` must outlive the server; null stops the posting. One server per process: most callbacks have no
/// argument that identifies the server.
pmix_server_module_t callbacks(Mailbox* mailbox);

/// One request of another node to this server. The caller keeps it until its ModexData has arrived.
struct ModexQuestion {
  std::uint32_t asking_node;
  std::uint64_t id;
};

/// The callback for PMIx_server_dmodex_request; `question` points to a ModexQuestion.
void answer_question(pmix_status_t status, char* data, std::size_t size, void* question);

}  // namespace adarun::launcher::agent::pmix
