// SPDX-License-Identifier: Apache-2.0
#include "launcher/transport/ssh/login_keys.h"

#include <libssh/libssh.h>
#include <sys/prctl.h>

#include <filesystem>
#include <fstream>

#include "launcher/base/error.h"

namespace adarun::launcher {
namespace {

std::string base64_of(ssh_key key) {
  char* raw = nullptr;
  if (ssh_pki_export_pubkey_base64(key, &raw) != SSH_OK) return "";
  std::string text = raw;
  ssh_string_free_char(raw);
  return text;
}

// The public key in a file, as base64; "" if there is none.
std::string read_public_key(const std::string& file) {
  ssh_key key = nullptr;
  if (ssh_pki_import_pubkey_file(file.c_str(), &key) != SSH_OK) return "";
  return base64_of(SshKey(key, SshFree()).get());
}

bool is_private_key(const std::string& file) {
  std::ifstream stream(file);
  std::string line;
  return std::getline(stream, line) && line.find("PRIVATE KEY") != std::string::npos;
}

// Equal for hosts that have the same keys.
std::string signature(const SshSettings& settings) {
  std::string text = settings.agent_socket + (settings.identities_only ? "\n=" : "\n+");
  for (const std::string& file : settings.identities) text += "\n" + file;
  return text;
}

}  // namespace

std::shared_ptr<const LoginKeys> KeyRing::keys_for(const SshSettings& settings, const std::string& required) {
  std::shared_ptr<const LoginKeys>& made = made_[signature(settings)];
  if (made) return made;
  LoginKeys keys;
  keys.agent_socket = settings.agent_socket;
  keys.identities_only = settings.identities_only;
  for (const std::string& file : settings.identities) {
    const Identity& found = identity(file);
    if (found.key) keys.keys.push_back({found.key, found.public_key});
    if (found.is_locked) keys.locked.push_back(file);
    if (!found.public_key.empty()) keys.named.push_back(found.public_key);
    if (file != required || found.key) continue;
    if (!found.is_locked) throw Error(file + ": cannot read this private key");
    throw Error(file + ": needs a passphrase, which adarun never asks for: ssh-add " + file +
                ", and leave --identity out");
  }
  if (keys.identities_only && keys.named.empty()) keys.agent_socket.clear();
  made = std::make_shared<const LoginKeys>(std::move(keys));
  return made;
}

const KeyRing::Identity& KeyRing::identity(const std::string& file) {
  const auto known = identities_.find(file);
  return known == identities_.end() ? identities_.emplace(file, read(file)).first->second : known->second;
}

KeyRing::Identity KeyRing::read(const std::string& file) {
  Identity identity;
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(file, ignored)) {
    identity.public_key = read_public_key(file + ".pub");
    return identity;
  }
  // The keys must not reach a core file or a debugger of another program.
  ::prctl(PR_SET_DUMPABLE, 0);
  ssh_key key = nullptr;
  const int result = ssh_pki_import_privkey_file(file.c_str(), "", nullptr, nullptr, &key);
  if (result == SSH_OK) {
    identity.key = SshKey(key, SshFree());
    identity.public_key = base64_of(key);
    return identity;
  }
  identity.public_key = read_public_key(file);
  identity.is_locked = is_private_key(file);
  if (identity.public_key.empty()) identity.public_key = read_public_key(file + ".pub");
  return identity;
}

}  // namespace adarun::launcher
