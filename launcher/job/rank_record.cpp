// SPDX-License-Identifier: Apache-2.0
#include "launcher/job/rank_record.h"

#include <csignal>
#include <cstring>

namespace adarun::launcher {

const char* name_of(RankState state) {
  switch (state) {
    case RankState::waiting:
      return "waiting";
    case RankState::running:
      return "running";
    case RankState::done:
      return "done";
    case RankState::failed:
      return "failed";
    case RankState::stopped:
      return "stopped";
    case RankState::lost:
      return "lost";
  }
  return "unknown";
}

namespace {

std::string name_of_signal(int signal) {
  const char* name = sigabbrev_np(signal);
  const char* words = sigdescr_np(signal);
  const std::string text = name == nullptr ? "signal " + std::to_string(signal) : "SIG" + std::string(name);
  return words == nullptr ? text : text + " (" + words + ")";
}

// The likely sender of a KILL that no agent of ours sent.
const char* sender_of_kill(protocol::OutOfMemory out_of_memory) {
  switch (out_of_memory) {
    case protocol::OutOfMemory::yes:
      return ", out of memory";
    case protocol::OutOfMemory::likely:
      return ", most likely out of memory: the kernel killed for it on this node";
    case protocol::OutOfMemory::no:
      return ", not by adarun, nor by the kernel for want of memory";
    case protocol::OutOfMemory::unknown:
      break;
  }
  return ", not by adarun; perhaps out of memory";
}

}  // namespace

std::string describe_end(const RankRecord& record) {
  if (record.abort && record.abort->call == protocol::EndingCall::spawn)
    return "MPI_Comm_spawn of " + record.abort->message;
  if (record.abort)
    return "MPI_Abort(" + std::to_string(record.abort->status) + ")" +
           (record.abort->message.empty() ? "" : ": " + record.abort->message);
  if (record.missed_in_mpi) return "exited 0 without joining MPI";
  if (record.signal == 0 && record.code == 0 && record.left_mpi_open)
    return "it called MPI_Init, and exited 0 without MPI_Finalize";
  if (record.signal == 0) return "exit code " + std::to_string(record.code);
  std::string text = name_of_signal(record.signal);
  if (record.core_dumped) text += ", core dumped" + (record.core.empty() ? "" : ": " + record.core);
  if (record.signal == SIGKILL && record.state == RankState::failed)
    text += sender_of_kill(record.out_of_memory);
  return text;
}

}  // namespace adarun::launcher
