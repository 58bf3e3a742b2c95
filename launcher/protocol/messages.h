// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "launcher/protocol/archive.h"
#include "launcher/protocol/diagnostic.h"
#include "launcher/protocol/files.h"
#include "launcher/protocol/mpi.h"
#include "launcher/protocol/query.h"
#include "launcher/protocol/start.h"

// The messages between the launcher and an agent. One agent runs on each node of a job. Ranks are numbered
// over the whole job, nodes from 0 in the order of the job's host list. Times are nanoseconds since the Unix
// epoch by the clock of the sender.
//
// The sequence of a conversation:
//   agent     Hello
//   launcher  JobSpec, Start
//   agent     Ready, then Started per rank, or Failed
//   agent     Output*, Exited per rank; Joined, Fence, ModexRequest, NameRequest, Abort, StaysOn, ListensAt,
//             LostPeer, Finalized while MPI programs run; InputWanted*, Halted*; Suspend; LeftRunning
//   launcher  Ping*, Signal*, Suspend*, Stop; Input*; FenceDone, ModexReply, NameReply, Members; StartAgain,
//   after
//             which Started, Output* and Exited of that rank follow once more
//   agent     Done when every process it started is gone; then it exits
// If Start says that the agent stays, it sends Ended instead of Done, then Hello again, and may get a further
// JobSpec and Start. The launcher sends nothing but Ping and Received between Ended and Hello.
// Between Hello and Done the launcher may send any number of Query; the agent gives an Answer to each. A
// conversation may consist of these alone: Hello, Query and Answer, Stop, Done. Between Hello and Start files
// may be staged: see files.h. Files may be fetched in a conversation that has no Start. Between Hello and
// Done, the agent may send any number of Diagnostic.
//
// A conversation may continue over another connection. Each side keeps what it has sent until the other sends
// Received. The agent's Rendezvous says how to reach it again. On the new connection each side first sends
// Resumed, then continues after the bytes that the other one has received.

namespace adarun::launcher::protocol {

/// launcher -> agent: shows that the launcher is alive, as any other message does.
struct Ping {
  std::uint64_t sequence = 0;

  void fields(auto& archive) { archive(sequence); }
  bool operator==(const Ping&) const = default;
};

/// launcher -> agent: deliver a signal to the process of every rank that runs, not to processes that it has
/// started: most programs die of a signal that they do not expect.
struct Signal {
  std::int32_t number = 0;

  void fields(auto& archive) { archive(number); }
  bool operator==(const Signal&) const = default;
};

/// agent -> launcher: what a rank whose stdin is passed on can take.
struct InputWanted {
  enum class Kind : std::uint8_t {
    from_begin,  ///< Its process was forked: nothing was sent to it yet.
    more,
    no_more,  ///< It has closed its stdin.
  };
  std::uint32_t rank = 0;
  Kind kind = Kind::more;
  std::uint32_t bytes = 0;  ///< So many more may be sent, besides what was asked for before.

  void fields(auto& archive) { archive(rank, kind, bytes); }
  bool operator==(const InputWanted&) const = default;
};

/// launcher -> agent: bytes for the stdin of a rank, at most as many as it wanted.
struct Input {
  std::uint32_t rank = 0;
  std::string bytes;
  bool last = false;  ///< The end of the input follows them.

  void fields(auto& archive) { archive(rank, bytes, last); }
  bool operator==(const Input&) const = default;
};

/// launcher -> agent: stop every process of the job (SIGSTOP), or continue it (SIGCONT). The launcher is
/// stopped meanwhile, so its silence does not end the job while the connection lasts. agent -> launcher: the
/// same message, when that is done.
struct Suspend {
  bool on = false;

  void fields(auto& archive) { archive(on); }
  bool operator==(const Suspend&) const = default;
};

/// launcher -> agent: end every rank and all its descendants: TERM, grace period, KILL; KILL at once if
/// `now`.
struct Stop {
  bool now = false;

  void fields(auto& archive) { archive(now); }
  bool operator==(const Stop&) const = default;
};

/// agent -> launcher: its first message.
struct Hello {
  std::string version;
  std::string hostname;
  std::uint32_t pid = 0;
  std::int64_t time_ns = 0;
  std::string note = {};  ///< How the agent was brought to the node, if it is not installed there.

  void fields(auto& archive) { archive(brief(version), brief(hostname), pid, instant(time_ns), brief(note)); }
  bool operator==(const Hello&) const = default;
};

/// Why the agent that sent `hello` is refused: its version differs from this program's. Empty: it is
/// accepted.
std::string version_refusal(const Hello& hello);

/// agent -> launcher: the node is set up, ranks start now.
struct Ready {
  bool mpi = false;          ///< A PMIx server runs.
  std::string mpi_reason;    ///< Why not, if it does not.
  std::string warning = {};  ///< One line for the user, without the node's name; empty: none.
  bool pmi = false;          ///< A PMI server runs.

  void fields(auto& archive) { archive(mpi, brief(mpi_reason), brief(warning), pmi); }
  bool operator==(const Ready&) const = default;
};

/// Why a node failed.
enum class StartFailure : std::uint8_t {
  could_not_start,  ///< Anything but those below.
  not_executable,   ///< A rank's program is there but cannot be executed.
  not_found,        ///< A rank's program is not there.
  refused,          ///< What is asked for cannot be had on this node: a folder, a limit, CPUs, PMIx.
};

/// agent -> launcher: this node has failed; it ends what it has started and sends Done.
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
  std::vector<std::string> environment;  ///< The program's whole environment.
  std::string cpus = {};                 ///< The CPUs it is bound to, such as "0-3,8"; empty: it is not
                                         ///< bound.

  void fields(auto& archive) { archive(rank, pid, instant(time_ns), environment, brief(cpus)); }
  bool operator==(const Started&) const = default;
};

enum class Stream : std::uint8_t { out, err };

/// agent -> launcher: bytes a rank wrote, unchanged and in order within a stream.
struct Output {
  std::uint32_t rank = 0;
  Stream stream = Stream::out;
  std::string bytes;
  std::uint64_t offset = 0;  ///< How many bytes of the rank, in both streams, were sent before these, also by
                             ///< processes that it had before this one.

  void fields(auto& archive) { archive(rank, stream, bytes, offset); }
  bool operator==(const Output&) const = default;
};

/// Whether the kernel killed a process for lack of memory.
enum class OutOfMemory : std::uint8_t {
  unknown,  ///< The kernel does not count it.
  no,
  likely,  ///< It has killed some process on the node since the rank started.
  yes,     ///< It has killed a process of the rank.
};

/// agent -> launcher: a rank's process ended; all its output was sent before.
struct Exited {
  std::uint32_t rank = 0;
  std::int32_t code = 0;    ///< Exit code, if signal is 0.
  std::int32_t signal = 0;  ///< The signal that ended it.
  bool core_dumped = false;
  std::string core = {};  ///< The core file, or the program it was piped to, according to the node's
                          ///< settings.
  OutOfMemory out_of_memory = OutOfMemory::unknown;  ///< Set if SIGKILL ended the process.
  bool stopped_by_us = false;                        ///< The agent has ended it.
  bool mpi_connected = false;                        ///< It has connected to an MPI server.
  bool mpi_finalized = false;                        ///< And has disconnected from it, as MPI_Finalize does.
  std::int64_t time_ns = 0;

  void fields(auto& archive) {
    archive(rank, code, signal, core_dumped, brief(core), out_of_memory, stopped_by_us, mpi_connected,
            mpi_finalized, instant(time_ns));
  }
  bool operator==(const Exited&) const = default;
};

/// agent -> launcher: a signal such as SIGSTOP has stopped a rank's process, or it continues; not
/// said of the job's Suspend.
struct Halted {
  std::uint32_t rank = 0;
  std::int32_t signal = 0;  ///< 0: it continues.

  void fields(auto& archive) { archive(rank, signal); }
  bool operator==(const Halted&) const = default;
};

/// agent -> launcher: the answer to a Ping. With sequence 0, of which there is no Ping: only a sign of life,
/// while a long message arrives, or in a silence of the launcher.
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

/// agent -> launcher: like Done, but the agent stays for a further Start. Its next message is Hello.
struct Ended {
  void fields(auto& archive) { archive(); }
  bool operator==(const Ended&) const = default;
};

/// A process that a rank started and that runs on after it.
struct LeftProcess {
  static constexpr std::uint32_t unknown_rank = 0xFFFF'FFFF;

  std::string name = {};              ///< As the kernel reports it; empty: unknown.
  std::uint32_t rank = unknown_rank;  ///< That has left it.

  void fields(auto& archive) { archive(brief(name), rank); }
  bool operator==(const LeftProcess&) const = default;
};

/// agent -> launcher: processes that ranks left running. Once when all ranks of the node have ended, which
/// then waits for a Stop, and once when it ends such processes.
struct LeftRunning {
  /// Processes in one message: what a rank may leave has no bound.
  static constexpr std::uint32_t most_named = 16;

  bool ending = false;                      ///< They are ended now; otherwise they run until Stop.
  std::uint32_t count = 0;                  ///< Of them.
  std::vector<LeftProcess> processes = {};  ///< The first of them, most_named at most.

  void fields(auto& archive) { archive(ending, count, processes); }
  bool operator==(const LeftRunning&) const = default;
};

/// both ways: how much of the other side's stream was processed and need not be kept.
struct Received {
  std::uint64_t position = 0;  ///< In bytes of frames since the conversation began.

  void fields(auto& archive) { archive(position); }
  bool operator==(const Received&) const = default;
};

/// agent -> launcher: how to open another connection to this agent, as long as it runs.
struct Rendezvous {
  std::vector<std::string> command;  ///< Program and arguments, to be run on its node.

  void fields(auto& archive) { archive(command); }
  bool operator==(const Rendezvous&) const = default;
};

/// both ways: the first message on a further connection, not part of the stream: how much was received so
/// far.
struct Resumed {
  std::uint64_t position = 0;  ///< As in Received, but counts all received bytes, even of incomplete frames.

  void fields(auto& archive) { archive(position); }
  bool operator==(const Resumed&) const = default;
};

/// launcher -> agent: send what the agent of an earlier job could not deliver before it ended. The reply is
/// its Output and Exited, then UndeliveredReply; or Failed if that agent still runs. Sent instead of Start.
struct UndeliveredRequest {
  std::string job_id;
  std::uint32_t node = 0;
  std::string scratch = {};  ///< Prefix of that agent's scratch folder (scratch_folder()); empty: do not
                             ///< check whether it runs.

  void fields(auto& archive) { archive(job_id, node, scratch); }
  bool operator==(const UndeliveredRequest&) const = default;
};

/// agent -> launcher: all undelivered messages were sent.
struct UndeliveredReply {
  bool found = false;  ///< Whether anything was kept.

  void fields(auto& archive) { archive(found); }
  bool operator==(const UndeliveredReply&) const = default;
};

/// launcher -> agent: the undelivered messages are stored; remove them from the node.
struct DropUndelivered {
  void fields(auto& archive) { archive(); }
  bool operator==(const DropUndelivered&) const = default;
};

/// The type byte of a frame is the index of its alternative here: append only.
using Message =
    std::variant<Hello, Start, Ready, Failed, Started, Output, Exited, Done, Ping, Pong, Signal, Stop, Fence,
                 FenceDone, ModexRequest, ModexReply, Abort, Joined, Query, Answer, JobSpec, Stage,
                 StagePresent, StagePart, StageTaken, StageEnd, Staged, Received, Rendezvous, Resumed,
                 UndeliveredRequest, UndeliveredReply, DropUndelivered, Find, FileListing, Fetch, FetchPart,
                 Fetched, Diagnostic, Suspend, Ended, StaysOn, Members, LostPeer, Finalized, ListensAt,
                 StartAgain, NameRequest, NameReply, LeftRunning, InputWanted, Input, Halted>;

/// Who receives a message: a FrameReader takes no other.
enum class Direction { to_agent, to_launcher, both };

template <typename T, typename... Others>
inline constexpr bool is_one_of = (std::is_same_v<T, Others> || ...);

/// Whether `message` is of one of these types.
template <typename... T>
bool is_any_of(const Message& message) {
  return (std::holds_alternative<T>(message) || ...);
}

template <typename T>
constexpr Direction direction_of() {
  constexpr bool is_for_both = is_one_of<T, ModexRequest, ModexReply, Received, Resumed, Suspend>;
  constexpr bool is_for_agent =
      is_one_of<T, Start, Ping, Signal, Stop, FenceDone, Query, JobSpec, Stage, StagePart, StageEnd,
                UndeliveredRequest, DropUndelivered, Find, Fetch, Members, StartAgain, NameReply, Input>;
  static_assert(is_for_both || is_for_agent ||
                    is_one_of<T, Hello, Ready, Failed, Started, Output, Exited, Done, Pong, Fence, Abort,
                              Joined, Answer, StagePresent, StageTaken, Staged, Rendezvous, UndeliveredReply,
                              FileListing, FetchPart, Fetched, Diagnostic, Ended, StaysOn, LostPeer,
                              Finalized, ListensAt, NameRequest, LeftRunning, InputWanted, Halted>,
                "who receives it?");
  if (is_for_both) return Direction::both;
  return is_for_agent ? Direction::to_agent : Direction::to_launcher;
}

/// The bytes that a message holds in memory beyond its own size: those of its texts and lists.
std::size_t held_bytes(const Message& message);

}  // namespace adarun::launcher::protocol
