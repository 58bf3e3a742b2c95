// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "base/file_descriptor.h"
#include "launcher/transport/ssh/dial.h"
#include "launcher/transport/ssh/forwarding.h"
#include "launcher/transport/ssh/located_hosts.h"
#include "launcher/transport/ssh/ssh_handshake.h"

struct ssh_event_struct;

namespace adarun::launcher {

/// A host that others are reached through: one SSH session, on its own thread, carries the connections to all
/// of them. It connects when the first one is requested. Thread-safe; nothing blocks, and destroying it ends
/// all of its connections.
class JumpHost {
 public:
  /// `name` is for messages. Fails if it is not connected within `connect_timeout`.
  JumpHost(std::string name, Credentials credentials, MakeDial make_dial,
           std::chrono::milliseconds connect_timeout);
  ~JumpHost();
  JumpHost(const JumpHost&) = delete;
  JumpHost& operator=(const JumpHost&) = delete;

  /// Requests a connection from the jump host to an sshd, by a name or address that the jump host knows.
  std::shared_ptr<Tunnel> open(const std::string& hostname, int port);

  /// Whether it has failed: from now on open() throws.
  bool broken() const;

  /// Whether a connection that was requested is not there after a while in which nothing was heard from the
  /// jump host: another session may be (the network may have forgotten this one).
  bool silent() const { return silent_; }

  /// What the jump host itself still waits for, in one line; empty: nothing.
  std::string status_text() const;

 private:
  void run();
  bool connect();
  void carry();
  void pass_on(ssh_event_struct* event);
  bool deliver(ssh_event_struct* event);
  void take_wanted();
  void note_silence();
  void wait(std::chrono::milliseconds longest);
  void fail_all(const std::string& reason);

  const std::string name_;
  const std::chrono::milliseconds connect_timeout_;
  SshHandshake handshake_;
  base::FileDescriptor wake_;
  mutable std::mutex mutex_;
  std::vector<std::shared_ptr<Tunnel>> wanted_;  ///< Not yet taken by the thread.
  std::string waits_for_;
  std::string failure_;  ///< Why open() throws; empty: it does not.
  using Clock = std::chrono::steady_clock;
  struct Carried {
    std::unique_ptr<Forwarding> forwarding;
    Clock::time_point begun;
    bool readable = false;  ///< According to the last poll.
  };
  std::vector<Carried> carried_;
  Clock::time_point heard_;  ///< When there was last something to read.
  std::atomic<bool> silent_ = false;
  int channels_ = 0;  ///< How many were opened so far.
  std::atomic<bool> stopping_ = false;
  std::thread thread_;
};

/// Makes dials to hosts; those with the same jump host share it. Used by one thread at a time.
class Dials {
 public:
  /// `connect_timeout` applies to each jump host.
  Dials(std::shared_ptr<const LocatedHosts> hosts, std::chrono::milliseconds connect_timeout);

  /// How to dial one of the hosts, by its hop. The function returned throws Error if the host was not found.
  MakeDial to(const Hop& hop);

 private:
  std::shared_ptr<JumpHost> jump_host(const Hop& hop);

  const std::shared_ptr<const LocatedHosts> hosts_;
  const std::chrono::milliseconds connect_timeout_;
  std::map<const Hop*, std::shared_ptr<JumpHost>> jumps_;
};

}  // namespace adarun::launcher
