// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "launcher/transport/reach/ssh_options.h"
#include "launcher/transport/ssh/blocking_task.h"
#include "launcher/transport/ssh/known_hosts.h"

namespace adarun::launcher {

/// What is known of the key that a host has presented.
struct KeyVerdict {
  enum class What { known, unknown, changed, other_kind, revoked };
  What what = What::unknown;
  std::string place;  ///< The line that gives this; empty: there is none.

  bool operator==(const KeyVerdict&) const = default;
};

/// Compares a key with those that are known for its host.
KeyVerdict judge(const std::vector<KnownKey>& known, const HostPublicKey& shown);

/// Keys that were accepted as new while this program runs, for all sessions. Thread-safe.
class NewKeys {
 public:
  /// Accepts the key for a name, unless another one was accepted for it before: then false. `is_first`: the
  /// name had none.
  bool take(const std::string& name, const HostPublicKey& key, bool& is_first);

 private:
  std::mutex mutex_;
  std::map<std::string, HostPublicKey> keys_;
};

/// What the key of one host is compared with.
struct HostKeyRule {
  HostKey policy = HostKey::strict;
  std::string name;  ///< The host's name in known_hosts files.
  std::string file;  ///< A new key is added to it; empty: to none.
  std::vector<KnownKey> known;
  std::vector<KnownKey> known_without_port;  ///< Also accept or revoke a key, but do not prove it changed.
  std::shared_ptr<NewKeys> new_keys;
};

/// The check of a key that a host has presented. It is added to a file by a separate thread.
class HostKeyCheck {
 public:
  /// `fingerprint` is for messages. Throws Error where the key is refused.
  HostKeyCheck(const HostKeyRule& rule, const HostPublicKey& shown, const std::string& fingerprint);

  /// True once the key is accepted. Throws Error if it cannot be added to the file.
  bool advance() const;

  /// Readable once the key is written; -1 if nothing is written.
  int fd() const { return writing_ ? writing_->fd() : -1; }

 private:
  std::optional<BlockingTask> writing_;
};

}  // namespace adarun::launcher
