// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace adarun::ranktable {

/// The characters allowed in a server_id or host name, for messages.
inline constexpr std::string_view server_name_letters =
    "letters, digits and . _ - : % alone, the first none of . - %";

/// Whether `text` is a valid server name: the characters of addresses, host names and ids, and letters of any
/// script. Such a name is one word in a shell, a hostfile and a list of nodes, cannot be taken for an option,
/// and cannot lead out of a folder.
bool is_server_name(std::string_view text);

/// The longest server_id that HCCL accepts, in characters.
inline constexpr std::size_t max_server_id_characters = 64;

/// The number of characters (not bytes) in UTF-8 text.
std::size_t characters(std::string_view text);

/// Throws Error if `server_id` is empty, longer than `most` characters, or not a valid server name.
void require_server_id(std::string_view server_id, std::size_t most = max_server_id_characters);

/// Whether `text` has control characters (C0, DEL, C1), which end a line or control a terminal. Invalid UTF-8
/// counts as such.
bool has_control_characters(std::string_view text);

/// `text` for people: unchanged, or as quoted JSON if it has control characters.
std::string printable(const std::string& text);

}  // namespace adarun::ranktable
