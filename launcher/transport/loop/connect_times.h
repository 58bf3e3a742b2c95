// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "launcher/transport/loop/transport.h"

namespace adarun::launcher {

/// How long the login to a node took, and its login shell until that ran our command. Other links than those
/// by SSH have neither.
class ConnectTimes {
 public:
  /// A login shell that took so long is worth a word: every connection waits for it.
  static constexpr std::chrono::seconds slow{2};

  /// A step of the node's link, in their order.
  void take(const LinkStep& step);

  /// Its agent has answered; only the first call counts.
  void end(std::int64_t now_ns);

  /// Of the login shell; 0 while it is not over.
  std::chrono::milliseconds shell_time() const {
    return shell_end_ns_ == 0 ? std::chrono::milliseconds(0) : time(shell_ns_, shell_end_ns_);
  }
  bool is_slow() const { return shell_time() >= slow; }

  /// Such as "login shell of ada".
  const std::string& shell() const { return shell_; }

  /// "log in 100 ms, the login shell of ada 3.4 s: its start-up files?"; empty, unless it is slow.
  std::string text() const;

 private:
  static std::chrono::milliseconds time(std::int64_t from_ns, std::int64_t to_ns) {
    return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::nanoseconds(to_ns - from_ns));
  }

  std::string shell_;
  std::int64_t begun_ns_ = 0;  ///< Since the Unix epoch, as all of these; 0: not yet.
  std::int64_t shell_ns_ = 0;
  std::int64_t shell_end_ns_ = 0;
};

}  // namespace adarun::launcher
