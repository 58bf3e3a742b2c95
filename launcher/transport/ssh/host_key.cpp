// SPDX-License-Identifier: Apache-2.0
#include "launcher/transport/ssh/host_key.h"

namespace adarun::launcher {

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

}  // namespace adarun::launcher
