// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "launcher/transport/ssh/config/settings.h"
#include "launcher/transport/ssh/key_blob.h"
#include "launcher/transport/ssh/ssh_session.h"

namespace adarun::launcher {

/// A private key, by itself or with a certificate.
struct LoginKey {
  SshKey key;
  std::string public_key;  ///< As base64; that of the certificate, if it has one.
  std::string file;        ///< Of the key or certificate, for messages; " (expired)" behind it if it is.
};

/// A key that a file names for ssh-agent.
struct NamedKey {
  std::string public_key;     ///< As base64.
  std::string certified_key;  ///< Of a certificate: its key, as base64; else empty.
};

/// An identity file without a private key that can be used.
struct UnusableFile {
  std::string file;
  std::string public_key;   ///< As base64; empty if it is not known. ssh-agent may have its private half.
  std::string why;          ///< What is wrong with it: "does not exist".
  bool is_locked = false;   ///< It needs a passphrase.
  bool is_missing = false;  ///< There is no such file.

  /// "FILE does not exist, and no ssh-agent offers its private key".
  std::string text() const;
};

/// The keys to log in with. Shared by hosts and never changed.
struct LoginKeys {
  std::string agent_socket;  ///< Of ssh-agent; empty: it is not asked.

  /// The public keys and certificates of the identity files, and the certificates beside them (FILE-cert.pub)
  /// each behind its key, in the order of the files, as in OpenSSH: those of them that ssh-agent has are
  /// offered before its others, of which none is with `identities_only`.
  std::vector<NamedKey> named;
  bool identities_only = false;

  std::vector<LoginKey> keys;  ///< Of files; offered once those of ssh-agent were.
  std::vector<UnusableFile> unusable;
};

/// Reads key files, each once. A process that has read a private key writes no core file from then on;
/// programs that it starts are not affected.
class KeyRing {
 public:
  /// The keys to log in to a host with, each once. The file `required` ("": none) must hold a private key
  /// that needs no passphrase; others may be missing. Throws Error.
  std::shared_ptr<const LoginKeys> keys_for(const SshSettings& settings, const std::string& required);

 private:
  struct CertificateFile {
    std::string file;
    Certificate certificate;
  };

  /// What a file holds, and the certificate beside it. The private key of a certificate may be in another
  /// file.
  struct Identity {
    std::optional<LoginKey> key;
    std::vector<CertificateFile> certificates;
    std::vector<NamedKey> named;
    std::vector<UnusableFile> unusable;
  };

  const Identity& identity(const std::string& file);
  static Identity read(const std::string& file);
  static void add_keys(const std::vector<const Identity*>& identities, LoginKeys& keys);
  static void add_certificate(const std::string& file, Identity& identity);

  std::map<std::string, Identity> identities_;
  std::map<std::string, std::shared_ptr<const LoginKeys>> made_;
};

}  // namespace adarun::launcher
