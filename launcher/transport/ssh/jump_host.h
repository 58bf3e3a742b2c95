// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "base/file_descriptor.h"
#include "launcher/transport/ssh/dial.h"
#include "launcher/transport/ssh/ssh_handshake.h"
#include "launcher/transport/ssh/tunnel.h"

namespace adarun::launcher {

class Forwarding;

/// A host that others are reached through: one SSH session, on a thread of its own, carries the connections
/// to all of them. It is connected when the first is asked for. Thread-safe; nothing blocks, and destroying
/// it ends all of its connections.
class JumpHost {
 public:
  /// `name` is for messages. Gives up when it is not connected within `connect_timeout`.
  JumpHost(std::string name, Credentials credentials, MakeDial make_dial,
           std::chrono::milliseconds connect_timeout);
  ~JumpHost();
  JumpHost(const JumpHost&) = delete;
  JumpHost& operator=(const JumpHost&) = delete;

  /// Asks for a connection from there to an sshd, by a name or address that the jump host knows.
  std::shared_ptr<Tunnel> open(const std::string& hostname, int port);

  /// Whether it has failed: from now on open() throws.
  bool broken() const;

  /// What the jump host itself still waits for, in one line; empty: nothing.
  std::string status_text() const;

 private:
  void run();
  bool connect();
  void carry();
  void take_wanted();
  void wait(std::chrono::milliseconds longest);
  void fail_all(const std::string& reason);

  const std::string name_;
  const std::chrono::milliseconds connect_timeout_;
  SshHandshake handshake_;
  base::FileDescriptor wake_;
  mutable std::mutex mutex_;
  std::vector<std::shared_ptr<Tunnel>> wanted_;  ///< Not taken by the thread yet.
  std::string waits_for_;
  std::string failure_;  ///< Of all that are asked for from now on.
  struct Carried {
    std::unique_ptr<Forwarding> forwarding;
    bool readable = false;  ///< As the last poll had it.
  };
  std::vector<Carried> carried_;
  int channels_ = 0;  ///< That there have been.
  std::atomic<bool> stopping_ = false;
  std::thread thread_;
};

/// Dials by way of `jump`.
MakeDial dial_through(std::shared_ptr<JumpHost> jump, std::string hostname, int port);

}  // namespace adarun::launcher
