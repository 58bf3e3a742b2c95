// SPDX-License-Identifier: Apache-2.0
#include "launcher/agent/connection/reconnection.h"

#include <algorithm>
#include <cstdio>

#include "launcher/agent/connection/spool_place.h"
#include "launcher/protocol/error.h"

namespace adarun::launcher::agent {
namespace {

// Longer silence than this counts as cut off, however long the lease is.
constexpr std::chrono::milliseconds longest_silence{10'000};

}  // namespace

void Reconnection::offer(const protocol::Start& start, std::chrono::milliseconds lease) {
  socket_.emplace(start.scratch + '/' + ReconnectSocket::socket_name);
  remove_old_spools();
  spool_file_ = spool_path(start.job_id, start.node);
  channel_.keep_for_resume(spool_file_, std::min(lease / 2, longest_silence));
  channel_.send(protocol::Rendezvous{socket_->command()});
}

void Reconnection::watch(Poll& poll) {
  if (!socket_) return;
  poll.watch(socket_->fd(), POLLIN, [this] { accept(); });
  poll.watch(socket_->bringer_fd(), POLLIN, [this] { accept(); });
}

void Reconnection::accept() {
  auto connection = socket_->accept();
  if (!connection) return;
  const std::string silent = milliseconds_since(channel_.heard());
  channel_.resume(std::move(*connection));
  on_resume_();
  diagnostics_.debug("another connection, after " + silent + " without a word");
}

void Reconnection::remove_spool_file() const {
  remove_spool(spool_file_);
}

void Reconnection::keep_undelivered() {
  if (!socket_) return;
  try {
    channel_.keep();
  } catch (const protocol::Error& error) {
    std::fprintf(stderr, "adarun-agent: output is lost: %s\n", error.what());
  }
}

}  // namespace adarun::launcher::agent
