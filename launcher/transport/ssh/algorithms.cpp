// SPDX-License-Identifier: Apache-2.0
#include "launcher/transport/ssh/algorithms.h"

#include <algorithm>

#include "launcher/transport/ssh/config/pattern.h"

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

}  // namespace

const std::string_view default_key_exchange =
    "curve25519-sha256,curve25519-sha256@libssh.org,ecdh-sha2-nistp256,ecdh-sha2-nistp384,"
    "ecdh-sha2-nistp521,diffie-hellman-group18-sha512,diffie-hellman-group16-sha512,"
    "diffie-hellman-group-exchange-sha256,diffie-hellman-group14-sha256";
const std::string_view default_ciphers =
    "chacha20-poly1305@openssh.com,aes256-gcm@openssh.com,aes128-gcm@openssh.com,aes256-ctr,aes192-ctr,"
    "aes128-ctr";
const std::string_view default_macs =
    "hmac-sha2-256-etm@openssh.com,hmac-sha2-512-etm@openssh.com,hmac-sha2-256,hmac-sha2-512";
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

}  // namespace adarun::launcher
