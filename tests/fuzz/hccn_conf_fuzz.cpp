// SPDX-License-Identifier: Apache-2.0
// Any text gives the addresses of cards, each an address or an Error, or an Error for all.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "ranktable/model/address.h"
#include "ranktable/model/error.h"
#include "ranktable/operations/hccn.h"
#include "tests/fuzz/fuzz_target.h"

namespace rt = adarun::ranktable;

namespace {

void require_canonical(const rt::HccnConf& conf, int card) {
  try {
    const std::string address = rt::card_address(conf, card);
    if (rt::canonical(rt::parse_address(address).value()) != address) std::abort();
  } catch (const rt::Error&) {
  }
}

}  // namespace

FUZZ_TARGET(hccn_conf) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    const rt::HccnConf conf = rt::parse_hccn_conf(text, "fuzz");
    for (const auto* addresses : {&conf.ipv4, &conf.ipv6})
      for (const auto& [card, address] : *addresses) require_canonical(conf, card);
  } catch (const rt::Error&) {
  }
  return 0;
}
