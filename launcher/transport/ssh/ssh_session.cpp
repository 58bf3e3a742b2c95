// SPDX-License-Identifier: Apache-2.0
#include "launcher/transport/ssh/ssh_session.h"

#include <fcntl.h>
#include <libssh/libssh.h>

#include <algorithm>
#include <cerrno>

#include "base/system_text.h"
#include "launcher/base/error.h"
#include "launcher/transport/ssh/config/config_text.h"

namespace adarun::launcher {
namespace {

// Each algorithm once, at its first place.
std::string joined(const std::vector<std::string>& algorithms) {
  std::vector<std::string> seen;
  std::string list;
  for (const std::string& each : algorithms) {
    if (std::find(seen.begin(), seen.end(), each) != seen.end()) continue;
    seen.push_back(each);
    list += (list.empty() ? "" : ",") + each;
  }
  return list;
}

std::vector<std::string> concatenated(std::vector<std::string> first,
                                      const std::vector<std::string>& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

// libssh's defaults, best first.
constexpr std::string_view default_key_exchange =
    "curve25519-sha256,curve25519-sha256@libssh.org,ecdh-sha2-nistp256,ecdh-sha2-nistp384,"
    "ecdh-sha2-nistp521,diffie-hellman-group18-sha512,diffie-hellman-group16-sha512,"
    "diffie-hellman-group-exchange-sha256,diffie-hellman-group14-sha256";
constexpr std::string_view default_ciphers =
    "chacha20-poly1305@openssh.com,aes256-gcm@openssh.com,aes128-gcm@openssh.com,aes256-ctr,aes192-ctr,"
    "aes128-ctr";
constexpr std::string_view default_macs =
    "hmac-sha2-256-etm@openssh.com,hmac-sha2-512-etm@openssh.com,hmac-sha2-256,hmac-sha2-512";

// With the types of keys: libssh's defaults for the keys of users.
constexpr std::string_view default_certificate_algorithms =
    "ssh-ed25519-cert-v01@openssh.com,ecdsa-sha2-nistp521-cert-v01@openssh.com,"
    "ecdsa-sha2-nistp384-cert-v01@openssh.com,ecdsa-sha2-nistp256-cert-v01@openssh.com,"
    "sk-ecdsa-sha2-nistp256-cert-v01@openssh.com,rsa-sha2-512-cert-v01@openssh.com,"
    "rsa-sha2-256-cert-v01@openssh.com";

// Used if the configuration chooses none. With AES instructions these take less processor time per byte than
// libssh's first choice, chacha20.
constexpr std::string_view fast_ciphers = "^aes128-gcm@openssh.com,aes256-gcm@openssh.com";

void set(ssh_session session, ssh_options_e option, const void* value, const std::string& what) {
  if (ssh_options_set(session, option, value) != SSH_OK)
    throw Error("ssh: " + what + ": " + last_error(session));
}

// `chosen`: what the list is from; it may leave none.
void set_algorithms(ssh_session session, const std::vector<ssh_options_e>& options, const std::string& list,
                    const AlgorithmList& chosen, std::string_view defaults) {
  if (list.empty() && chosen.text.empty()) return;
  for (const ssh_options_e option : options) {
    if (!list.empty() && ssh_options_set(session, option, list.c_str()) == SSH_OK) continue;
    if (chosen.line.empty()) throw Error("ssh: algorithms " + list + ": " + last_error(session));
    throw Error(chosen.line + ": none of its algorithms is known here (libssh has: " + std::string(defaults) +
                "); add one of these, or say --via openssh");
  }
}

void set_all_algorithms(ssh_session session, const SshSettings& settings,
                        const std::vector<std::string>& known) {
  const auto set_chosen = [&](const std::vector<ssh_options_e>& options, const AlgorithmList& chosen,
                              std::string_view otherwise, std::string_view defaults) {
    const std::string_view text = chosen.text.empty() ? otherwise : std::string_view(chosen.text);
    set_algorithms(session, options, chosen_algorithms(text, defaults), chosen, defaults);
  };
  set_chosen({SSH_OPTIONS_KEY_EXCHANGE}, settings.key_exchange, "", default_key_exchange);
  set_chosen({SSH_OPTIONS_CIPHERS_C_S, SSH_OPTIONS_CIPHERS_S_C}, settings.ciphers, fast_ciphers,
             default_ciphers);
  set_chosen({SSH_OPTIONS_HMAC_C_S, SSH_OPTIONS_HMAC_S_C}, settings.macs, "", default_macs);
  set_chosen({SSH_OPTIONS_HOSTKEYS}, settings.host_key_algorithms, host_key_algorithms_for(known),
             default_key_algorithms);
  const std::string for_users =
      std::string(default_certificate_algorithms) + ',' + std::string(default_key_algorithms);
  set_chosen({SSH_OPTIONS_PUBLICKEY_ACCEPTED_TYPES}, settings.accepted_keys, "", for_users);
}

SshSession new_session() {
  SshSession session(ssh_new());
  if (!session) throw Error("ssh: out of memory");
  const bool reads_config = false;
  set(session.get(), SSH_OPTIONS_PROCESS_CONFIG, &reads_config, "no configuration");
  return session;
}

}  // namespace

const std::string_view default_key_algorithms =
    "ssh-ed25519,ecdsa-sha2-nistp521,ecdsa-sha2-nistp384,ecdsa-sha2-nistp256,sk-ssh-ed25519@openssh.com,"
    "sk-ecdsa-sha2-nistp256@openssh.com,rsa-sha2-512,rsa-sha2-256";

std::string chosen_algorithms(std::string_view chosen, std::string_view defaults) {
  const char how = chosen.empty() ? ' ' : chosen.front();
  if (how != '+' && how != '-' && how != '^') return std::string(chosen);
  const std::vector<std::string> named = split_commas(chosen.substr(1));
  std::vector<std::string> kept = split_commas(defaults);
  if (how == '+') return joined(concatenated(std::move(kept), named));
  if (how == '^') return joined(concatenated(named, kept));
  std::erase_if(kept, [&named](const std::string& each) { return matches_patterns(each, named); });
  return joined(kept);
}

std::string host_key_algorithms_for(const std::vector<std::string>& known_kinds) {
  std::vector<std::string> first;
  for (const std::string& kind : known_kinds)
    first = concatenated(std::move(first), kind == "ssh-rsa"
                                               ? std::vector<std::string>{"rsa-sha2-512", "rsa-sha2-256"}
                                               : std::vector<std::string>{kind});
  return joined(concatenated(std::move(first), split_commas(default_key_algorithms)));
}

void SshFree::operator()(ssh_session_struct* session) const {
  // Without it libssh would first send a disconnect message, which can block on a dead network.
  ssh_silent_disconnect(session);
  ssh_free(session);
}

void SshFree::operator()(ssh_key_struct* key) const {
  ssh_key_free(key);
}

void require_known_algorithms(const SshSettings& settings) {
  set_all_algorithms(new_session().get(), settings, {});
}

SshSession make_session(const SshSettings& settings, const std::vector<std::string>& known,
                        base::FileDescriptor socket) {
  SshSession session = new_session();
  // The socket is connected, and we check the host key ourselves: libssh needs a name, but must not do checks
  // of its own.
  set(session.get(), SSH_OPTIONS_HOST, "host", "host");
  set(session.get(), SSH_OPTIONS_KNOWNHOSTS, "/dev/null", "known hosts");
  set(session.get(), SSH_OPTIONS_GLOBAL_KNOWNHOSTS, "/dev/null", "known hosts");
  set(session.get(), SSH_OPTIONS_SSH_DIR, "/dev/null", "folder");  // Else it needs the home of a known user.
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

// libssh's text is "Received SSH_MSG_DISCONNECT: CODE:WORDS".
std::string hang_up_reason(ssh_session_struct* session) {
  const std::string text = ssh_get_error(session);
  const std::string_view message = "SSH_MSG_DISCONNECT: ";
  const std::size_t code = text.find(message);
  if (code == std::string::npos) return "";
  const std::size_t colon = text.find(':', code + message.size());
  return colon == std::string::npos ? "" : text.substr(colon + 1);
}

base::BuildFact ssh_library() {
  const std::string built = std::to_string(LIBSSH_VERSION_MAJOR) + "." +
                            std::to_string(LIBSSH_VERSION_MINOR) + "." + std::to_string(LIBSSH_VERSION_MICRO);
  const std::string running = ssh_version(0);  // "0.10.6/openssl/zlib"
  return {"libssh", base::library_version(running.substr(0, running.find('/')), built)};
}

}  // namespace adarun::launcher
