// SPDX-License-Identifier: Apache-2.0
#include "launcher/transport/ssh/host_key_check.h"

#include "launcher/base/error.h"
#include "launcher/transport/ssh/known_hosts.h"

namespace adarun::launcher {
namespace {

KeyVerdict verdict_on(const HostKeyRule& rule, const HostPublicKey& shown) {
  using What = KeyVerdict::What;
  KeyVerdict verdict = judge(rule.known, shown);
  if (verdict.what != What::unknown) return verdict;
  const KeyVerdict without_port = judge(rule.known_without_port, shown);
  const bool counts = without_port.what == What::known || without_port.what == What::revoked;
  return counts ? without_port : verdict;
}

}  // namespace

KeyVerdict judge(const std::vector<KnownKey>& known, const HostPublicKey& shown) {
  using What = KeyVerdict::What;
  KeyVerdict verdict;
  for (const KnownKey& each : known) {
    if (each.key == shown && each.revoked) return {What::revoked, each.place};
    if (each.revoked || verdict.what == What::known) continue;
    if (each.key == shown) {
      verdict = {What::known, each.place};
    } else if (each.key.kind == shown.kind && verdict.what != What::changed) {
      verdict = {What::changed, each.place};
    } else if (verdict.what == What::unknown) {
      verdict = {What::other_kind, each.place};
    }
  }
  return verdict;
}

bool NewKeys::take(const std::string& name, const HostPublicKey& key, bool& is_first) {
  const std::lock_guard lock(mutex_);
  const auto [taken, inserted] = keys_.emplace(name, key);
  is_first = inserted;
  return taken->second == key;
}

HostKeyCheck::HostKeyCheck(const HostKeyRule& rule, const HostPublicKey& shown,
                           const std::string& fingerprint) {
  using What = KeyVerdict::What;
  const KeyVerdict verdict = verdict_on(rule, shown);
  const std::string now = " (now " + fingerprint + "): refused; ";
  switch (verdict.what) {
    case What::known:
      return;
    case What::revoked:
      throw Error("its host key is revoked (" + verdict.place + "): refused");
    case What::changed:
      throw Error("its host key has changed" + now + "if that is right, remove the old key, " +
                  verdict.place);
    case What::other_kind:
      throw Error("its host key is of another kind" + now + "if that is right, remove the old key, " +
                  verdict.place);
    case What::unknown:
      break;
  }
  if (rule.policy == HostKey::strict)
    throw Error("its host key is unknown (" + fingerprint +
                "): refused; log in once with ssh, or say --host-key accept-new");
  bool is_first = false;
  if (!rule.new_keys->take(rule.name, shown, is_first))
    throw Error("its host key differs from the one that " + rule.name + " has just shown (now " +
                fingerprint + "): refused");
  if (is_first && !rule.file.empty())
    writing_.emplace([file = rule.file, name = rule.name, shown] { append_known_host(file, name, shown); });
}

bool HostKeyCheck::advance() const {
  if (!writing_) return true;
  if (!writing_->over()) return false;
  writing_->check();
  return true;
}

}  // namespace adarun::launcher
