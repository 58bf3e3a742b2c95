// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "ranktable/gen.h"

namespace adarun::cli {

/// Where the addresses of this server's cards come from.
struct CardSources {
  std::string hccn_conf;  ///< This file alone; empty: see below.
  std::string
      hccn_tool;  ///< This program alone; empty: hccn_tool, then /etc/hccn.conf where it says nothing.
};

/// The addresses of these cards of this server, by physical id. Throws where one has none.
ranktable::CardAddresses card_addresses(const std::vector<int>& cards, const CardSources& sources);

}  // namespace adarun::cli
