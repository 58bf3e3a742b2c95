// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <libssh/callbacks.h>
#include <libssh/libssh.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

#include "base/file_descriptor.h"

namespace adarun::launcher {

/// A connection that a jump host makes for us: the state that both sides share. Thread-safe except for the
/// sockets, each of which belongs to one side.
struct Tunnel {
  std::string hostname;
  int port = 0;
  std::string from;           ///< The name of the jump host.
  base::FileDescriptor near;  ///< Of the side that requested it.
  base::FileDescriptor far;   ///< Of the jump host's thread, which closes it when it fails or ends.

  /// The jump host has connected to the host.
  void open() { is_open_ = true; }
  bool is_open() const { return is_open_; }

  void fail(const std::string& reason) {
    const std::lock_guard lock(mutex_);
    failure_ = reason;
  }

  /// Why there is no connection, or no longer one; empty: there is one, or it ended by itself.
  std::string failure() const {
    const std::lock_guard lock(mutex_);
    return failure_;
  }

 private:
  std::atomic<bool> is_open_ = false;
  mutable std::mutex mutex_;
  std::string failure_;
};

/// One tunnel with the channel that carries it. Used by the session's thread; nothing blocks.
class Forwarding {
 public:
  /// `session` is logged in, and outlives this. `number`: how many channels were opened on it before.
  Forwarding(ssh_session session, std::shared_ptr<Tunnel> tunnel, int number);
  ~Forwarding();
  Forwarding(const Forwarding&) = delete;
  Forwarding& operator=(const Forwarding&) = delete;

  /// Moves what can be moved, after the session has read its socket; `readable`: whether the tunnel's socket
  /// is. False once it is over.
  bool advance(bool readable);

  /// Whether the jump host has connected to the other end.
  bool is_open() const { return is_open_; }

  /// Whether the near side has said something that could not be passed on yet.
  bool holds_back() const;

  /// What to poll: this side's end of the tunnel.
  int fd() const { return tunnel_->far.get(); }
  short wanted() const;

  /// Ends it with a reason.
  void fail(const std::string& reason);

 private:
  static int take(ssh_session session, ssh_channel channel, void* data, std::uint32_t size, int is_stderr,
                  void* self);

  bool open();
  std::string reason() const;
  void to_socket();
  void to_channel();

  ssh_session session_;
  std::shared_ptr<Tunnel> tunnel_;
  int number_;
  ssh_channel channel_;
  ssh_channel_callbacks_struct callbacks_{};
  bool is_open_ = false;
  bool left_over_ = false;   ///< The channel holds bytes that were not taken.
  bool near_ended_ = false;  ///< The near side sends nothing more.
  std::string inbound_;      ///< From the channel, for the socket.
  std::string outbound_;     ///< From the socket, for the channel.
};

}  // namespace adarun::launcher
