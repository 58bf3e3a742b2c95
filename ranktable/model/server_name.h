// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace adarun::ranktable {

/// What a server_id, or the name of a host, may hold, for messages.
inline constexpr std::string_view server_name_letters =
    "letters, digits and . _ - : % alone, the first none of . - %";

/// Whether `text` may name a server: what addresses, host names and ids are made of, letters of any script.
/// Such a name is one word in a shell, a hostfile and a list of nodes, is taken for no option, and leads out
/// of no folder.
bool is_server_name(std::string_view text);

/// The longest server_id that HCCL takes, in characters.
inline constexpr std::size_t max_server_id_characters = 64;

/// Characters (not bytes) of UTF-8 text.
std::size_t characters(std::string_view text);

/// Throws Error where `server_id` is empty, longer than HCCL takes, or no name of a server.
void require_server_id(std::string_view server_id);

/// Whether there are control characters in `text` (C0, DEL, C1): bytes that end a line, or that a terminal
/// obeys. Bytes that are no UTF-8 are counted as such.
bool has_control_characters(std::string_view text);

/// `text` for people: as it is, but as JSON, in quotes, where it has control characters.
std::string printable(const std::string& text);

}  // namespace adarun::ranktable
