// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>

namespace adarun::ranktable {

/// The longest server_id that HCCL takes, in characters.
inline constexpr std::size_t max_server_id_characters = 64;

/// Characters (not bytes) of UTF-8 text.
std::size_t characters(std::string_view text);

/// Throws Error where `server_id` is empty, longer than HCCL takes, or no name of a server (server_name.h).
void require_server_id(std::string_view server_id);

}  // namespace adarun::ranktable
