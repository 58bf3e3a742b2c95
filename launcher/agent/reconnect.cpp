// SPDX-License-Identifier: Apache-2.0
// How the agent outlives a connection: it can be met, keeps what it cannot send, and leaves that behind.
#include <cstdio>

#include "launcher/agent/agent.h"
#include "launcher/agent/base/error.h"
#include "launcher/agent/connection/spool_place.h"
#include "launcher/protocol/defaults.h"
#include "launcher/protocol/error.h"

namespace adarun::launcher::agent {

void Agent::open_rendezvous(const protocol::Start& start) {
  rendezvous_.emplace(start.scratch + '/' + ReconnectSocket::socket_name);
  remove_old_spools();
  spool_ = spool_path(start.job_id, start.node);
  channel_.keep_for_resume(spool_, silence_of_cut(lease_));
  channel_.send(protocol::Rendezvous{rendezvous_->command()});
}

// The socket stays until the launcher has all.
void Agent::remove_folders() {
  if (!rendezvous_) return folders_.clear();
  while (folders_.size() > 1) folders_.pop_back();
  folders_.front().remove_all_but(ReconnectSocket::socket_name);
}

void Agent::meet() {
  auto connection = rendezvous_->accept();
  if (!connection) return;
  const auto silent = std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - channel_.heard());
  channel_.resume(std::move(*connection));
  heartbeat_.cut();
  diagnostics_.debug("another connection, after " + std::to_string(silent.count()) + " ms without a word");
}

// The launcher may come back until its lease is over.
void Agent::hang_up(const std::string& why) {
  channel_.cut();
  if (rendezvous_) diagnostics_.debug("connection ended: " + why);
  if (!rendezvous_) lose(why);
}

void Agent::keep_undelivered() {
  try {
    channel_.keep();
  } catch (const protocol::Error& error) {
    std::fprintf(stderr, "adarun-agent: output is lost: %s\n", error.what());
  }
}

}  // namespace adarun::launcher::agent
