// SPDX-License-Identifier: Apache-2.0
#include "launcher/transport/ssh_session.h"

#include <libssh/libssh.h>

#include <filesystem>

#include "launcher/error.h"

namespace adarun::launcher {
namespace {

std::string text_option(ssh_session session, ssh_options_e option) {
  char* raw = nullptr;
  if (ssh_options_get(session, option, &raw) != SSH_OK || raw == nullptr) return "";
  std::string value = raw;
  ssh_string_free_char(raw);
  return value;
}

void set(ssh_session session, ssh_options_e option, const void* value, const std::string& what) {
  if (ssh_options_set(session, option, value) != SSH_OK)
    throw Error("ssh: " + what + ": " + last_error(session));
}

void apply_config(ssh_session session, const std::string& file) {
  const bool given = !file.empty();
  if (given && !std::filesystem::exists(file)) throw Error(file + ": no such ssh config file");
  if (ssh_options_parse_config(session, given ? file.c_str() : nullptr) != SSH_OK && given)
    throw Error(file + ": cannot read this ssh config file: " + last_error(session));
  const std::string proxy = text_option(session, SSH_OPTIONS_PROXYCOMMAND);
  if (!proxy.empty())
    throw Error("the ssh config asks for a proxy (" + proxy + "), which adarun cannot use yet");
}

std::string fingerprint(ssh_session session) {
  ssh_key key = nullptr;
  if (ssh_get_server_publickey(session, &key) != SSH_OK) return "unreadable";
  unsigned char* hash = nullptr;
  std::size_t size = 0;
  std::string text = "unreadable";
  if (ssh_get_publickey_hash(key, SSH_PUBLICKEY_HASH_SHA256, &hash, &size) == 0) {
    char* raw = ssh_get_fingerprint_hash(SSH_PUBLICKEY_HASH_SHA256, hash, size);
    if (raw != nullptr) text = raw;
    ssh_string_free_char(raw);
    ssh_clean_pubkey_hash(&hash);
  }
  ssh_key_free(key);
  return text;
}

}  // namespace

void SshFree::operator()(ssh_session_struct* session) const {
  // Without it libssh would first send a farewell, which can block on a dead network.
  ssh_silent_disconnect(session);
  ssh_free(session);
}

void SshFree::operator()(ssh_key_struct* key) const {
  ssh_key_free(key);
}

SshKey load_key(const std::string& file) {
  if (file.empty()) return nullptr;
  ssh_key key = nullptr;
  const int result = ssh_pki_import_privkey_file(file.c_str(), "", nullptr, nullptr, &key);
  if (result == SSH_EOF) throw Error(file + ": cannot read this private key");
  if (result != SSH_OK)
    throw Error(file +
                ": no private key that opens without a passphrase; add an encrypted key to ssh-agent "
                "and leave --identity out");
  return {key, SshFree()};
}

SshSession make_session(const Host& host, const SshOptions& options) {
  SshSession session(ssh_new());
  if (!session) throw Error("ssh: out of memory");
  set(session.get(), SSH_OPTIONS_HOST, host.name.c_str(), host.name);
  apply_config(session.get(), options.config_file);
  const std::string& user = host.user.empty() ? options.user : host.user;
  const int port = host.port == 0 ? options.port : host.port;
  if (!user.empty()) set(session.get(), SSH_OPTIONS_USER, user.c_str(), "user " + user);
  if (port != 0) set(session.get(), SSH_OPTIONS_PORT, &port, "port " + std::to_string(port));
  const int on = 1;
  set(session.get(), SSH_OPTIONS_NODELAY, &on, "no delay");
  ssh_set_blocking(session.get(), 0);
  return session;
}

SshAddress address_of(ssh_session_struct* session) {
  unsigned port = 22;
  ssh_options_get_port(session, &port);
  return {text_option(session, SSH_OPTIONS_HOST), static_cast<int>(port)};
}

void check_host_key(ssh_session_struct* session, HostKey policy) {
  const ssh_known_hosts_e known = ssh_session_is_known_server(session);
  if (known == SSH_KNOWN_HOSTS_OK) return;
  const std::string file = text_option(session, SSH_OPTIONS_KNOWNHOSTS);
  const std::string key = fingerprint(session);
  if (known == SSH_KNOWN_HOSTS_CHANGED || known == SSH_KNOWN_HOSTS_OTHER)
    throw Error("its host key has changed (now " + key +
                "): refused; if that is right, remove the old key from " + file);
  if (known == SSH_KNOWN_HOSTS_ERROR) throw Error("cannot check its host key: " + last_error(session));
  if (policy == HostKey::strict)
    throw Error("its host key is unknown (" + key +
                "): refused; log in once with ssh, or say --host-key accept-new");
  if (ssh_session_update_known_hosts(session) != SSH_OK)
    throw Error("cannot add its host key to " + file + ": " + last_error(session));
}

std::string last_error(ssh_session_struct* session) {
  const std::string text = ssh_get_error(session);
  return text.empty() ? "no reason given" : text;
}

}  // namespace adarun::launcher
