// SPDX-License-Identifier: Apache-2.0
#include "ranktable/rules/limits.h"

#include <algorithm>
#include <string>

#include "ranktable/error.h"
#include "ranktable/json/quote.h"
#include "ranktable/server_name.h"

namespace adarun::ranktable {

std::size_t characters(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char byte) {
    return (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U;
  }));
}

void require_server_id(std::string_view server_id) {
  if (server_id.empty()) throw Error("server_id: empty, wanted the name or address of the server");
  if (characters(server_id) > max_server_id_characters)
    throw Error("server_id " + std::string(server_id) + ": " + std::to_string(characters(server_id)) +
                " characters, at most " + std::to_string(max_server_id_characters));
  if (!is_server_name(server_id))
    throw Error("server_id " + in_quotes(server_id) + ": wanted " + std::string(server_name_letters));
}

}  // namespace adarun::ranktable
