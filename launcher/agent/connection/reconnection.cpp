// SPDX-License-Identifier: Apache-2.0
#include "launcher/agent/connection/reconnection.h"

#include <cstdio>

#include "launcher/agent/connection/spool_place.h"
#include "launcher/protocol/archive.h"
#include "launcher/protocol/defaults.h"

namespace adarun::launcher::agent {

void Reconnection::offer(const protocol::Start& start, std::chrono::milliseconds lease) {
  socket_.emplace(start.scratch + '/' + ReconnectSocket::socket_name);
  remove_old_spools();
  spool_file_ = spool_path(start.job_id, start.node);
  channel_.keep_for_resume(spool_file_, silence_of_cut(lease));
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
