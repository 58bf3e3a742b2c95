// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "launcher/protocol/archive.h"
#include "launcher/protocol/defaults.h"
#include "launcher/protocol/diagnostic.h"
#include "launcher/protocol/fetch.h"
#include "launcher/protocol/process_limits.h"
#include "launcher/protocol/query.h"
#include "launcher/protocol/stage.h"

// What the launcher and an agent say to each other. One agent runs on each node of a job. Ranks are
// numbered over the whole job, nodes from 0 in the order of the job's host list. Times are nanoseconds
// since the Unix epoch by the clock of the sender.
//
// Life of a conversation:
//   agent     Hello
//   launcher  JobSpec, Start
//   agent     Ready, then Started per rank, or Failed
//   agent     Output*, Exited per rank; Joined, Fence, ModexRequest, Abort while MPI programs run; Suspend
//   launcher  Ping*, Signal*, Suspend*, Stop; FenceDone, ModexReply
//   agent     Done when every process it started is gone; then it exits
// Between Hello and Done the launcher may send any number of Query; the agent gives an Answer to each. A
// conversation may consist of them alone: Hello, Query and Answer, Stop, Done. Between Hello and Start files
// may be staged: see stage.h. Files may be fetched (fetch.h) in a conversation that has no Start. Between
// Hello and Done, the agent may say any number of Diagnostic.
//
// A conversation may outlive its connection. Each side keeps what it has sent until the other says Received.
// The agent tells by a Rendezvous how to reach it again; on the new connection each side first says Resumed,
// and goes on behind what the other one has.

namespace adarun::launcher::protocol {

/// One file that the agent writes into its scratch folder (mode 0600) before any rank starts.
struct ScratchFile {
  std::string name;  ///< A plain file name, no folder.
  std::string content;

  void fields(auto& archive) { archive(name, content); }
  bool operator==(const ScratchFile&) const = default;
};

/// One process to start, as the plan has it: nothing is left to a shell.
struct RankSpec {
  std::uint32_t rank = 0;
  std::uint32_t local_rank = 0;
  std::vector<std::string> argv;         ///< argv[0] without '/' is looked up in PATH of the rank.
  std::vector<std::string> environment;  ///< "NAME=VALUE", laid over the agent's own environment.
  std::string workdir;                   ///< Empty: as JobSpec has it, else where the agent was started.
  std::vector<std::string> defaults;     ///< "NAME=VALUE", set where the agent's own environment lacks it.

  void fields(auto& archive) { archive(rank, local_rank, argv, environment, workdir, defaults); }
  bool operator==(const RankSpec&) const = default;
};

/// One node of the job, as its MPI servers must describe it to every rank.
struct NodeRanks {
  std::string hostname;  ///< The node's name in the job, unique in it.
  std::vector<std::uint32_t> ranks;

  void fields(auto& archive) { archive(hostname, ranks); }
  bool operator==(const NodeRanks&) const = default;
};

/// Whether ranks are given servers to find one another by: PMIx for Open MPI, PMI for MPICH.
enum class Mpi : std::uint8_t {
  off,    ///< No server.
  auto_,  ///< PMI, and PMIx where libpmix is; ranks start without it where that is not.
  on,     ///< Both, or Failed.
};

/// Which of a node's servers something is of.
enum class Service : std::uint8_t { pmix, pmi };

/// launcher -> agent: what the Starts of all nodes have in common, sent before them and the same to every
/// node, so that a launcher of thousands makes it once. `complete` puts both together.
struct JobSpec {
  std::vector<NodeRanks> nodes;
  std::vector<ScratchFile> files;
  std::vector<std::string> argv;         ///< Of ranks that have none of their own.
  std::string workdir;                   ///< Likewise.
  std::vector<std::string> environment;  ///< Laid over each rank's own.
  std::string mpi_secret = {};           ///< As in Start.

  void fields(auto& archive) { archive(nodes, files, argv, workdir, environment, mpi_secret); }
  bool operator==(const JobSpec&) const = default;
};

/// launcher -> agent: everything one node has to do, but for what JobSpec has said.
struct Start {
  std::string job_id;
  std::uint32_t node = 0;  ///< Index into `nodes`.
  std::vector<NodeRanks> nodes;
  std::uint32_t world_size = 0;
  std::vector<RankSpec> ranks;
  std::vector<ScratchFile> files;
  std::string scratch;     ///< Folder the agent makes (0700) and removes at the end; it can be met there.
  std::string shm_folder;  ///< Likewise, under /dev/shm; empty: none.
  Mpi mpi = Mpi::auto_;
  std::uint32_t lease_ms =
      in_ms(default_lease);  ///< Silence of the launcher after which the agent ends everything.
  std::uint32_t grace_ms = in_ms(default_grace);  ///< From TERM to KILL.
  std::vector<std::string> addresses;  ///< By which other nodes may know this one, the likeliest first.
  ProcessLimits process_limits;
  bool resumable = false;  ///< The end of the connection is not the end: the launcher may make another one.
  std::string mpi_secret = {};  ///< 128 random bits as hexadecimal digits, the same on all nodes: whoever
                                ///< knows them gets into the job by PMIx. Not for logs, files or arguments.

  void fields(auto& archive) {
    archive(job_id, node, nodes, world_size, ranks, files, scratch, shm_folder, mpi, lease_ms, grace_ms,
            addresses, process_limits, resumable, mpi_secret);
  }
  bool operator==(const Start&) const = default;
};

/// launcher -> agent: proof of life. Any other message is one as well.
struct Ping {
  std::uint64_t sequence = 0;

  void fields(auto& archive) { archive(sequence); }
  bool operator==(const Ping&) const = default;
};

/// launcher -> agent: deliver a signal to the process group of every rank that runs.
struct Signal {
  std::int32_t number = 0;

  void fields(auto& archive) { archive(number); }
  bool operator==(const Signal&) const = default;
};

/// launcher -> agent: stop every process of the job (SIGSTOP), or have it go on. Meanwhile the launcher
/// stands still itself: its silence is no reason to end the job while the connection is there. agent ->
/// launcher: the same, when that is done.
struct Suspend {
  bool on = false;

  void fields(auto& archive) { archive(on); }
  bool operator==(const Suspend&) const = default;
};

/// launcher -> agent: end every rank and all its descendants: TERM, grace, KILL; at once if `now`.
struct Stop {
  bool now = false;

  void fields(auto& archive) { archive(now); }
  bool operator==(const Stop&) const = default;
};

/// launcher -> agent: what all nodes put into a fence, in one buffer that is the same everywhere.
struct FenceDone {
  std::vector<std::uint32_t> participants;
  std::string data;
  Service service = Service::pmix;

  void fields(auto& archive) { archive(participants, data, service); }
  bool operator==(const FenceDone&) const = default;
};

/// both ways: a rank asks for what another rank published; routed by the launcher to the rank's agent.
struct ModexRequest {
  std::uint32_t asking_node = 0;
  std::uint64_t id = 0;  ///< Chosen by the asking agent.
  std::uint32_t rank = 0;

  void fields(auto& archive) { archive(asking_node, id, rank); }
  bool operator==(const ModexRequest&) const = default;
};

/// both ways: the answer to a ModexRequest.
struct ModexReply {
  std::uint32_t asking_node = 0;
  std::uint64_t id = 0;
  std::int32_t status = 0;  ///< A PMIx status.
  std::string data;

  void fields(auto& archive) { archive(asking_node, id, status, data); }
  bool operator==(const ModexReply&) const = default;
};

/// agent -> launcher: its first words.
struct Hello {
  std::string version;
  std::string hostname;
  std::uint32_t pid = 0;
  std::int64_t time_ns = 0;
  std::string note = {};  ///< How it came to the node, where it is not installed there.

  void fields(auto& archive) { archive(brief(version), brief(hostname), pid, instant(time_ns), brief(note)); }
  bool operator==(const Hello&) const = default;
};

/// agent -> launcher: the node is set up, ranks start now.
struct Ready {
  bool mpi = false;          ///< A PMIx server runs.
  std::string mpi_reason;    ///< Why not, where it does not.
  std::string warning = {};  ///< One line for the user, without the node's name; empty: none.
  bool pmi = false;          ///< A PMI server runs.

  void fields(auto& archive) { archive(mpi, brief(mpi_reason), brief(warning), pmi); }
  bool operator==(const Ready&) const = default;
};

/// Why a node could not do its part.
enum class StartFailure : std::uint8_t {
  could_not_start,  ///< Anything but the two below.
  not_executable,   ///< A rank's program is there but cannot be executed.
  not_found,        ///< A rank's program is not there.
};

/// agent -> launcher: this node cannot do its part; it ends what it has started and says Done.
struct Failed {
  StartFailure failure = StartFailure::could_not_start;
  std::string message;

  void fields(auto& archive) { archive(failure, brief(message)); }
  bool operator==(const Failed&) const = default;
};

/// agent -> launcher: a rank's program has been executed.
struct Started {
  std::uint32_t rank = 0;
  std::uint32_t pid = 0;
  std::int64_t time_ns = 0;
  std::vector<std::string> environment;  ///< All of it, as the program has it.
  std::string cpus = {};                 ///< Those it is bound to, as "0-3,8"; empty: it is not.

  void fields(auto& archive) { archive(rank, pid, instant(time_ns), environment, brief(cpus)); }
  bool operator==(const Started&) const = default;
};

enum class Stream : std::uint8_t { out, err };

/// agent -> launcher: bytes a rank wrote, unchanged and in order within a stream.
struct Output {
  std::uint32_t rank = 0;
  Stream stream = Stream::out;
  std::string bytes;
  std::uint64_t offset = 0;  ///< How many bytes of the rank, in both streams, were sent before these.

  void fields(auto& archive) { archive(rank, stream, bytes, offset); }
  bool operator==(const Output&) const = default;
};

/// Whether the kernel killed a process for want of memory.
enum class OutOfMemory : std::uint8_t {
  unknown,  ///< This kernel does not tell.
  no,
  likely,  ///< It has killed some process on the node for it since the rank started.
  yes,     ///< One of the rank's own.
};

/// agent -> launcher: a rank's process ended; all its output was sent before.
struct Exited {
  std::uint32_t rank = 0;
  std::int32_t code = 0;    ///< Exit code, where signal is 0.
  std::int32_t signal = 0;  ///< The signal that ended it.
  bool core_dumped = false;
  std::string core = {};  ///< Where the core is, or what became of it, as far as the node's settings tell.
  OutOfMemory out_of_memory = OutOfMemory::unknown;  ///< Of a process that SIGKILL ended.
  bool stopped_by_us = false;                        ///< The agent had begun to end it.
  bool mpi_connected = false;                        ///< It has spoken to an MPI server.
  bool mpi_finalized = false;                        ///< And has taken its leave of it, as MPI_Finalize does.
  std::int64_t time_ns = 0;

  void fields(auto& archive) {
    archive(rank, code, signal, core_dumped, brief(core), out_of_memory, stopped_by_us, mpi_connected,
            mpi_finalized, instant(time_ns));
  }
  bool operator==(const Exited&) const = default;
};

/// agent -> launcher: a rank has found its MPI server, in MPI_Init.
struct Joined {
  std::uint32_t rank = 0;

  void fields(auto& archive) { archive(rank); }
  bool operator==(const Joined&) const = default;
};

/// agent -> launcher: this node's part of a PMIx fence or a PMI barrier; the latter is of the whole job, and
/// its data are lines of KEY=VALUE. Those of one service know nothing of the other's.
struct Fence {
  std::vector<std::uint32_t> participants;  ///< Ranks; empty: the whole job.
  std::string data;
  Service service = Service::pmix;

  void fields(auto& archive) { archive(participants, data, service); }
  bool operator==(const Fence&) const = default;
};

/// agent -> launcher: a rank called MPI_Abort.
struct Abort {
  std::uint32_t rank = 0;
  std::int32_t status = 0;
  std::string message;
  std::int64_t time_ns = 0;

  void fields(auto& archive) { archive(rank, status, brief(message), instant(time_ns)); }
  bool operator==(const Abort&) const = default;
};

/// agent -> launcher: the answer to a Ping.
struct Pong {
  std::uint64_t sequence = 0;
  std::int64_t time_ns = 0;

  void fields(auto& archive) { archive(sequence, instant(time_ns)); }
  bool operator==(const Pong&) const = default;
};

/// agent -> launcher: every process it started is gone, its folders are removed.
struct Done {
  void fields(auto& archive) { archive(); }
  bool operator==(const Done&) const = default;
};

/// both ways: how much of what the other side has sent has been taken in for good.
struct Received {
  std::uint64_t position = 0;  ///< In bytes of frames since the conversation began.

  void fields(auto& archive) { archive(position); }
  bool operator==(const Received&) const = default;
};

/// agent -> launcher: how to reach this agent by another connection, for as long as it lives.
struct Rendezvous {
  std::vector<std::string> command;  ///< Program and arguments, to be run on its node.

  void fields(auto& archive) { archive(command); }
  bool operator==(const Rendezvous&) const = default;
};

/// both ways: first on a further connection, and no part of the conversation: what has come so far.
struct Resumed {
  std::uint64_t position = 0;  ///< As in Received, but of bytes that have come, whole frames or not.

  void fields(auto& archive) { archive(position); }
  bool operator==(const Resumed&) const = default;
};

/// launcher -> agent: say again what an agent of an earlier job could not deliver before it had to end. Its
/// Output and Exited come, then Recalled; or Failed, where that agent still runs. Instead of Start.
struct Recall {
  std::string job_id;
  std::uint32_t node = 0;
  std::string scratch = {};  ///< What the name of that agent's scratch folder begins with.

  void fields(auto& archive) { archive(job_id, node, scratch); }
  bool operator==(const Recall&) const = default;
};

/// agent -> launcher: there is no more of it.
struct Recalled {
  bool found = false;  ///< Whether anything was kept.

  void fields(auto& archive) { archive(found); }
  bool operator==(const Recalled&) const = default;
};

/// launcher -> agent: what was recalled is safe now and is to be removed on the node.
struct Forget {
  void fields(auto& archive) { archive(); }
  bool operator==(const Forget&) const = default;
};

/// The type byte of a frame is the index of its alternative here: append only.
using Message =
    std::variant<Hello, Start, Ready, Failed, Started, Output, Exited, Done, Ping, Pong, Signal, Stop, Fence,
                 FenceDone, ModexRequest, ModexReply, Abort, Joined, Query, Answer, JobSpec, Stage,
                 StagePresent, StagePart, StageTaken, StageEnd, Staged, Received, Rendezvous, Resumed, Recall,
                 Recalled, Forget, Find, Found, Fetch, FetchPart, Fetched, Diagnostic, Suspend>;

}  // namespace adarun::launcher::protocol
