// SPDX-License-Identifier: Apache-2.0
#include "ranktable/json/json_text.h"

namespace adarun::ranktable {

Json parse_json(std::string_view text) {
  const Document document(text);
  const JsonValue root = document.root();
  return {root.kind(), std::string(root.text()), to_json(root)};
}

std::string shown(const Json& value) {
  return cut_for_message(value.json);
}

}  // namespace adarun::ranktable
