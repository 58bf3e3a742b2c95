// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace adarun::launcher::protocol {

/// Whether the text is "HOST:PORT", or "[ADDRESS]:PORT" for IPv6, of at most 300 characters that may stand in
/// a line of PMI: where a rank listens for others.
bool is_endpoint(std::string_view text);

}  // namespace adarun::launcher::protocol
