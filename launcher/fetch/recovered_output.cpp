// SPDX-License-Identifier: Apache-2.0
#include "launcher/fetch/recovered_output.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "base/describe.h"
#include "base/file_descriptor.h"
#include "base/system_text.h"
#include "launcher/base/error.h"
#include "launcher/protocol/defaults.h"
#include "launcher/protocol/messages.h"
#include "launcher/protocol/start.h"
#include "launcher/record/files.h"
#include "launcher/record/line_times.h"
#include "launcher/transport/loop/transport.h"

namespace adarun::launcher {
namespace {

namespace fs = std::filesystem;

constexpr int wait_ms = 1'000;
// The spool file, and what was in memory besides.
constexpr std::uint64_t most_bytes = 2 * most_spooled_bytes;

std::string log_of(std::uint32_t rank, const std::string& ending = ".log") {
  return "worker_" + std::to_string(rank) + ending;
}

// Opens a log to append to it. Throws Error.
base::FileDescriptor open_log(const base::OutputFolder& folder, const std::string& name, int flags) {
  base::FileDescriptor fd = folder.open_file(name, O_WRONLY | O_APPEND | flags, shared_mode);
  if (!fd)
    throw Error((folder.path() / name).string() + ": cannot write this file: " + base::system_text(errno));
  return fd;
}

// Appends the bytes that the rank's log lacks; returns their number. Throws Error.
std::uint64_t add_to_log(const base::OutputFolder& folder, const protocol::Output& output) {
  const base::FileDescriptor fd = open_log(folder, log_of(output.rank), 0);
  const fs::path file = folder.path() / log_of(output.rank);
  struct stat facts {};
  if (fstat(fd.get(), &facts) != 0)
    throw Error(file.string() + ": cannot write this file: " + base::system_text(errno));
  const auto size = static_cast<std::uint64_t>(facts.st_size);
  if (output.offset > size)
    throw Error(file.string() + ": has " + std::to_string(size) +
                " bytes, but what was kept begins at byte " + std::to_string(output.offset));
  const std::uint64_t known = std::min<std::uint64_t>(size - output.offset, output.bytes.size());
  write_all(fd.get(), std::string_view(output.bytes).substr(known), file);
  return output.bytes.size() - known;
}

// Recovery for one job. Messages per node: Hello, UndeliveredRequest, Output*, UndeliveredReply, Done.
class OutputRecovery {
 public:
  OutputRecovery(Transport& transport, std::vector<AskedNode> nodes, std::string job_id,
                 const fs::path& log_dir, std::chrono::milliseconds silence)
      : transport_(transport),
        job_id_(std::move(job_id)),
        log_dir_(open_output_folder(log_dir)),
        times_(ArrivalTimes::in(log_dir)),
        silence_(silence),
        timeout_(nodes.size(), silence) {
    for (AskedNode& node : nodes) nodes_.push_back({std::move(node)});
  }

  std::vector<RecoveredOutput> run() {
    while (!std::all_of(nodes_.begin(), nodes_.end(), [](const Node& node) { return node.gone; })) {
      const auto begun = std::chrono::steady_clock::now();
      pollfd polled{transport_.ready_fd(), POLLIN, 0};
      poll(&polled, 1, wait_ms);
      const auto waited = std::chrono::steady_clock::now() - begun;
      for (const TransportEvent& event : transport_.take()) take(event);
      for (const std::uint32_t node : timeout_.wait(waited, std::chrono::milliseconds(wait_ms)))
        if (!nodes_[node].gone)
          dismiss(node, "its agent answers, but has sent nothing new for " + base::describe(silence_));
    }
    std::vector<RecoveredOutput> recovered;
    for (Node& node : nodes_) recovered.push_back(std::move(node.home));
    return recovered;
  }

 private:
  struct Node {
    AskedNode asked;
    RecoveredOutput home = {};
    bool greeted = false;
    bool recalled = false;
    bool gone = false;
    std::uint64_t bytes = 0;
  };

  void take(const TransportEvent& event) {
    Node& node = nodes_[event.node];
    if (const auto* lost = std::get_if<LinkLost>(&event.what)) {
      if (!node.gone && node.home.reason.empty()) node.home.reason = lost->reason;
      node.gone = true;
      return;
    }
    const auto* message = std::get_if<protocol::Message>(&event.what);
    if (message == nullptr || !node.home.reason.empty()) return;
    try {
      take(event.node, *message);
    } catch (const Error& error) {
      dismiss(event.node, error.what());
    }
  }

  void take(std::uint32_t index, const protocol::Message& message) {
    Node& node = nodes_[index];
    if (const auto* hello = std::get_if<protocol::Hello>(&message)) {
      if (const std::string refusal = version_refusal(*hello); !refusal.empty()) throw Error(refusal);
      if (std::exchange(node.greeted, true)) throw Error("a second Hello");
      timeout_.renew(index);
      const std::uint32_t number = node.asked.number;
      transport_.send(
          index, protocol::UndeliveredRequest{job_id_, number, protocol::scratch_folder(job_id_, number)});
    } else if (const auto* output = std::get_if<protocol::Output>(&message)) {
      if (node.asked.ranks.count(output->rank) == 0)
        throw Error("it sent output of rank " + std::to_string(output->rank) +
                    ", which did not run there; nothing of that is written");
      if ((node.bytes += output->bytes.size()) > most_bytes)
        throw Error("it sends more than any agent keeps");
      if (!output->bytes.empty()) timeout_.renew(index);
      node.home.new_bytes[output->rank] += add(node, *output);
    } else if (const auto* failed = std::get_if<protocol::Failed>(&message)) {
      throw Error(failed->message);
    } else if (const auto* recalled = std::get_if<protocol::UndeliveredReply>(&message)) {
      node.recalled = true;
      node.home.found = recalled->found;
      if (recalled->found) transport_.send(index, protocol::DropUndelivered{});
      dismiss(index, "");
    } else if (std::holds_alternative<protocol::Done>(message)) {
      if (!node.recalled) throw Error("its agent left before it had told all that it kept");
      node.gone = true;
    }
  }

  // Every recovery starts from the first byte kept: the node holds the output until all of it is written
  // here.
  std::uint64_t add(Node& node, const protocol::Output& output) {
    const std::size_t replaced = node.asked.replaced;
    if (replaced == 0 && !is_shortened(log_of(output.rank))) return add_to_log(log_dir_, output);
    const std::string ending = replaced == 0 ? ".kept.log" : ".kept." + std::to_string(replaced) + ".log";
    const std::string file = log_of(output.rank, ending);
    const bool is_first = node.home.apart.emplace(output.rank, file).second;
    const base::FileDescriptor fd = open_log(log_dir_, file, O_CREAT | (is_first ? O_TRUNC : 0));
    write_all(fd.get(), output.bytes, log_dir_.path() / file);
    return output.bytes.size();
  }

  bool is_shortened(const std::string& log) const {
    struct stat facts {};
    if (fstatat(log_dir_.fd(), log.c_str(), &facts, AT_SYMLINK_NOFOLLOW) != 0) return false;
    const auto size = static_cast<std::uint64_t>(facts.st_size);
    return times_ && times_->beginning() && size > *times_->beginning();
  }

  void dismiss(std::uint32_t node, const std::string& reason) {
    nodes_[node].home.reason = reason;
    transport_.send(node, protocol::Stop{true});
    if (!reason.empty()) nodes_[node].gone = true;
  }

  Transport& transport_;
  std::vector<Node> nodes_;
  std::string job_id_;
  base::OutputFolder log_dir_;
  std::optional<ArrivalTimes> times_;
  std::chrono::milliseconds silence_;
  SilenceTimeout timeout_;
};

}  // namespace

std::vector<RecoveredOutput> recover_output(Transport& transport, std::vector<AskedNode> nodes,
                                            const std::string& job_id, const fs::path& log_dir,
                                            std::chrono::milliseconds silence) {
  return OutputRecovery(transport, std::move(nodes), job_id, log_dir, silence).run();
}

}  // namespace adarun::launcher
