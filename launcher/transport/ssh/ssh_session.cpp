// SPDX-License-Identifier: Apache-2.0
#include "launcher/transport/ssh/ssh_session.h"

#include <fcntl.h>
#include <libssh/libssh.h>

#include <cerrno>

#include "base/system_text.h"
#include "launcher/base/error.h"
#include "launcher/transport/ssh/algorithms.h"

namespace adarun::launcher {
namespace {

// Used if the configuration chooses none. With AES instructions these take less processor time per byte than
// libssh's first choice, chacha20.
constexpr std::string_view fast_ciphers = "^aes128-gcm@openssh.com,aes256-gcm@openssh.com";

void set(ssh_session session, ssh_options_e option, const void* value, const std::string& what) {
  if (ssh_options_set(session, option, value) != SSH_OK)
    throw Error("ssh: " + what + ": " + last_error(session));
}

void set_algorithms(ssh_session session, const std::vector<ssh_options_e>& options, const std::string& list) {
  if (list.empty()) return;
  for (const ssh_options_e option : options) set(session, option, list.c_str(), "algorithms " + list);
}

void set_all_algorithms(ssh_session session, const SshSettings& settings,
                        const std::vector<std::string>& known) {
  set_algorithms(session, {SSH_OPTIONS_KEY_EXCHANGE},
                 chosen_algorithms(settings.key_exchange, default_key_exchange));
  set_algorithms(
      session, {SSH_OPTIONS_CIPHERS_C_S, SSH_OPTIONS_CIPHERS_S_C},
      chosen_algorithms(settings.ciphers.empty() ? fast_ciphers : std::string_view(settings.ciphers),
                        default_ciphers));
  set_algorithms(session, {SSH_OPTIONS_HMAC_C_S, SSH_OPTIONS_HMAC_S_C},
                 chosen_algorithms(settings.macs, default_macs));
  set_algorithms(session, {SSH_OPTIONS_HOSTKEYS},
                 settings.host_key_algorithms.empty()
                     ? host_key_algorithms_for(known)
                     : chosen_algorithms(settings.host_key_algorithms, default_key_algorithms));
  set_algorithms(session, {SSH_OPTIONS_PUBLICKEY_ACCEPTED_TYPES},
                 chosen_algorithms(settings.accepted_keys, default_key_algorithms));
}

}  // namespace

void SshFree::operator()(ssh_session_struct* session) const {
  // Without it libssh would first send a disconnect message, which can block on a dead network.
  ssh_silent_disconnect(session);
  ssh_free(session);
}

void SshFree::operator()(ssh_key_struct* key) const {
  ssh_key_free(key);
}

SshSession make_session(const SshSettings& settings, const std::vector<std::string>& known,
                        base::FileDescriptor socket) {
  SshSession session(ssh_new());
  if (!session) throw Error("ssh: out of memory");
  const bool reads_config = false;
  set(session.get(), SSH_OPTIONS_PROCESS_CONFIG, &reads_config, "no configuration");
  // The socket is connected, and we check the host key ourselves: libssh needs a name, but must not do checks
  // of its own.
  set(session.get(), SSH_OPTIONS_HOST, "host", "host");
  set(session.get(), SSH_OPTIONS_KNOWNHOSTS, "/dev/null", "known hosts");
  set(session.get(), SSH_OPTIONS_GLOBAL_KNOWNHOSTS, "/dev/null", "known hosts");
  set(session.get(), SSH_OPTIONS_USER, settings.user.c_str(), "user " + settings.user);
  set_all_algorithms(session.get(), settings, known);
  socket_t descriptor = socket.get();
  set(session.get(), SSH_OPTIONS_FD, &descriptor, "socket");
  socket.release();
  ssh_set_blocking(session.get(), 0);
  return session;
}

void keep_from_blocking(ssh_session_struct* session) {
  const int socket = ssh_get_fd(session);
  if (socket < 0) return;
  const int flags = fcntl(socket, F_GETFL);
  if (flags < 0 || fcntl(socket, F_SETFL, flags | O_NONBLOCK) != 0)
    throw Error("cannot make a socket a non-blocking one: " + base::system_text(errno));
}

HostPublicKey server_key(ssh_session_struct* session) {
  ssh_key raw = nullptr;
  char* text = nullptr;
  if (ssh_get_server_publickey(session, &raw) != SSH_OK) throw Error("its host key cannot be read");
  const SshKey key(raw, SshFree());
  if (ssh_pki_export_pubkey_base64(raw, &text) != SSH_OK) throw Error("its host key cannot be read");
  HostPublicKey shown{ssh_key_type_to_char(ssh_key_type(raw)), text};
  ssh_string_free_char(text);
  return shown;
}

std::string fingerprint(ssh_session_struct* session) {
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

std::string last_error(ssh_session_struct* session) {
  const std::string text = ssh_get_error(session);
  return text.empty() ? "no reason given" : text;
}

base::BuildFact ssh_library() {
  const std::string built = std::to_string(LIBSSH_VERSION_MAJOR) + "." +
                            std::to_string(LIBSSH_VERSION_MINOR) + "." + std::to_string(LIBSSH_VERSION_MICRO);
  const std::string running = ssh_version(0);  // "0.10.6/openssl/zlib"
  return {"libssh", base::library_version(running.substr(0, running.find('/')), built)};
}

}  // namespace adarun::launcher
