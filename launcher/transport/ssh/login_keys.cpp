// SPDX-License-Identifier: Apache-2.0
#include "launcher/transport/ssh/login_keys.h"

#include <libssh/libssh.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <optional>
#include <set>

#include "base/system_text.h"
#include "launcher/base/error.h"
#include "launcher/transport/ssh/key_blob.h"

namespace adarun::launcher {
namespace {

std::string base64_of(ssh_key key) {
  char* raw = nullptr;
  if (ssh_pki_export_pubkey_base64(key, &raw) != SSH_OK) return "";
  std::string text = raw;
  ssh_string_free_char(raw);
  return text;
}

// The first line of a file, as far as it is a key's: no more of it is kept.
std::string first_line(const std::string& file) {
  constexpr std::size_t most_bytes = 64U << 10U;
  std::ifstream stream(file);
  std::string line(most_bytes, '\0');
  stream.read(line.data(), most_bytes);
  line.resize(static_cast<std::size_t>(stream.gcount()));
  return line.substr(0, line.find('\n'));
}

// The public key or certificate in a file, as base64; "" if there is none.
std::string read_public_key(const std::string& file) {
  if (const auto certificate = parse_certificate(first_line(file))) return certificate->base64;
  ssh_key key = nullptr;
  if (ssh_pki_import_pubkey_file(file.c_str(), &key) != SSH_OK) return "";
  return base64_of(SshKey(key, SshFree()).get());
}

std::optional<Certificate> certificate_of(const std::string& public_key) {
  return parse_certificate("x " + public_key);
}

// What is wrong with a file that holds no private key that can be used without a passphrase.
UnusableFile unusable(const std::string& file) {
  UnusableFile result{file, "", "", false, false};
  std::error_code error;
  const auto status = std::filesystem::status(file, error);
  const bool is_regular = std::filesystem::is_regular_file(status);
  result.is_missing = status.type() == std::filesystem::file_type::not_found;
  if (is_regular) result.public_key = read_public_key(file);
  const bool is_public = !result.public_key.empty();
  if (!is_public) result.public_key = read_public_key(file + ".pub");
  result.is_locked = is_regular && first_line(file).find("PRIVATE KEY") != std::string::npos;
  if (result.is_locked)
    result.why = "needs a passphrase: ssh-add " + file;
  else if (is_public)
    result.why = certificate_of(result.public_key) ? "is a certificate" : "is a public key";
  else if (result.is_missing)
    result.why = "does not exist";
  else if (error)
    result.why = "cannot be read: " + base::system_text(error.value());
  else if (!is_regular)
    result.why = std::filesystem::is_directory(status) ? "is a folder" : "is no file";
  else if (::access(file.c_str(), R_OK) != 0)
    result.why = "cannot be read: " + base::system_text(errno);
  else
    result.why = "is no key";
  return result;
}

bool is_expired(const Certificate& certificate) {
  return certificate.valid_before <= static_cast<std::uint64_t>(std::time(nullptr));
}

// The key with the certificate in a file; null: libssh does not take it.
SshKey with_certificate(const SshKey& key, const std::string& file) {
  ssh_key certificate = nullptr;
  if (ssh_pki_import_cert_file(file.c_str(), &certificate) != SSH_OK) return nullptr;
  const SshKey owner(certificate, SshFree());
  SshKey copy(ssh_key_dup(key.get()), SshFree());
  return ssh_pki_copy_cert_to_privkey(certificate, copy.get()) == SSH_OK ? copy : nullptr;
}

// Equal for hosts that have the same keys.
std::string signature(const SshSettings& settings) {
  std::string text = settings.agent_socket + (settings.identities_only ? "\n=" : "\n+") +
                     (settings.default_identities ? "?" : "");
  for (const std::string& file : settings.identities) text += "\n" + file;
  return text;
}

}  // namespace

std::string UnusableFile::text() const {
  const bool may_be_in_agent = !public_key.empty() && !is_locked;
  return file + " " + why + (may_be_in_agent ? ", and no ssh-agent offers its private key" : "");
}

std::shared_ptr<const LoginKeys> KeyRing::keys_for(const SshSettings& settings, const std::string& required) {
  std::shared_ptr<const LoginKeys>& made = made_[signature(settings)];
  if (made) return made;
  LoginKeys keys;
  keys.agent_socket = settings.agent_socket;
  keys.identities_only = settings.identities_only;
  std::vector<const Identity*> identities;
  for (const std::string& file : settings.identities) {
    const Identity& found = identity(file);
    if (std::ranges::find(identities, &found) != identities.end()) continue;
    identities.push_back(&found);
    keys.named.insert(keys.named.end(), found.named.begin(), found.named.end());
    for (const UnusableFile& each : found.unusable)
      if (!settings.default_identities || !each.is_missing) keys.unusable.push_back(each);
    if (file != required || found.key) continue;
    const UnusableFile& unusable = found.unusable.front();
    if (!unusable.is_locked)
      throw Error(file + ": cannot log in with it: it " + unusable.why +
                  (unusable.public_key.empty() ? ""
                                               : "; --identity wants the file of a private key, and "
                                                 "ssh-agent is not asked with it"));
    throw Error(file + ": needs a passphrase, which adarun never asks for: ssh-add " + file +
                ", and leave --identity out");
  }
  add_keys(identities, keys);
  if (keys.identities_only && keys.named.empty()) keys.agent_socket.clear();
  made = std::make_shared<const LoginKeys>(std::move(keys));
  return made;
}

const KeyRing::Identity& KeyRing::identity(const std::string& file) {
  const auto known = identities_.find(file);
  return known == identities_.end() ? identities_.emplace(file, read(file)).first->second : known->second;
}

// Adds the private keys, and with each certificate the key of any of the files.
void KeyRing::add_keys(const std::vector<const Identity*>& identities, LoginKeys& keys) {
  std::set<std::string> taken;
  for (const Identity* each : identities) {
    if (each->key && taken.insert(each->key->public_key).second) keys.keys.push_back(*each->key);
    for (const auto& [file, certificate] : each->certificates) {
      const auto owner = std::ranges::find_if(identities, [&key = certificate.key](const Identity* other) {
        return other->key && other->key->public_key == key;
      });
      if (owner == identities.end() || !taken.insert(certificate.base64).second) continue;
      std::erase_if(keys.unusable, [&file = file](const UnusableFile& other) { return other.file == file; });
      if (const SshKey key = with_certificate((*owner)->key->key, file))
        keys.keys.push_back({key, certificate.base64, file + (is_expired(certificate) ? " (expired)" : "")});
      else
        keys.unusable.push_back({file, "", "is a certificate that libssh does not take", false, false});
    }
  }
}

KeyRing::Identity KeyRing::read(const std::string& file) {
  Identity identity;
  ssh_key key = nullptr;
  std::error_code ignored;
  if (std::filesystem::is_regular_file(file, ignored)) {
    // The keys must not reach a core file or a debugger of another program.
    ::prctl(PR_SET_DUMPABLE, 0);
    if (ssh_pki_import_privkey_file(file.c_str(), "", nullptr, nullptr, &key) != SSH_OK) key = nullptr;
  }
  if (key != nullptr)
    identity.key = LoginKey{SshKey(key, SshFree()), base64_of(key), file};
  else
    identity.unusable.push_back(unusable(file));
  const std::string& name = key != nullptr ? identity.key->public_key : identity.unusable.front().public_key;
  if (certificate_of(name))
    add_certificate(file, identity);
  else if (!name.empty())
    identity.named.push_back({name, ""});
  // Certificates of Vault and step-ca stand there.
  if (std::filesystem::is_regular_file(file + "-cert.pub", ignored))
    add_certificate(file + "-cert.pub", identity);
  return identity;
}

// Adds the certificate in `file`, which is that of the key that is named before it, if one is.
void KeyRing::add_certificate(const std::string& file, Identity& identity) {
  const std::optional<Certificate> found = parse_certificate(first_line(file));
  const auto refuse = [&](const char* why) {
    std::erase_if(identity.unusable, [&](const UnusableFile& each) { return each.file == file; });
    identity.unusable.push_back({file, "", why, false, false});
  };
  if (!found) return refuse("is no certificate");
  if (!found->is_users) return refuse("is the certificate of a host");
  const bool has_key = !identity.named.empty() && identity.named.front().certified_key.empty();
  if (has_key && found->key != identity.named.front().public_key)
    return refuse("is the certificate of another key");
  if (identity.named.empty() && !identity.unusable.empty())
    identity.unusable.front().public_key = found->base64;
  identity.named.push_back({found->base64, found->key});
  identity.certificates.push_back({file, *found});
}

}  // namespace adarun::launcher
