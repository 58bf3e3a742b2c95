// SPDX-License-Identifier: Apache-2.0
// Any bytes are JSON or an Error, and nlohmann's reader agrees, with known exceptions: ours refuses duplicate
// keys, deep nesting and large objects, nlohmann's refuses numbers beyond double.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "ranktable/json/document.h"
#include "ranktable/model/error.h"
#include "tests/fuzz/fuzz_target.h"

namespace rt = adarun::ranktable;

namespace {

bool is_ours_alone(std::string_view message) {
  for (const char* rule : {"comes twice", "nested deeper", "keys in one object"})
    if (message.find(rule) != std::string_view::npos) return true;
  return false;
}

// nlohmann's reader treats a zero byte as the end of the text.
bool nlohmann_takes(std::string_view text) {
  return text.find('\0') == std::string_view::npos && nlohmann::json::accept(text);
}

bool is_beyond_double(std::string_view text) {
  try {
    return nlohmann::json::parse(text).is_discarded();
  } catch (const nlohmann::json::out_of_range&) {
    return true;
  }
}

}  // namespace

FUZZ_TARGET(document) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    const rt::Document document(text);
    if (!nlohmann_takes(text) && !is_beyond_double(text)) std::abort();
    const std::string compact = rt::to_json(document.root());
    if (rt::to_json(rt::Document(compact).root()) != compact) std::abort();
    if (!is_beyond_double(text) && nlohmann::json::parse(compact) != nlohmann::json::parse(text))
      std::abort();
  } catch (const rt::Error& error) {
    if (nlohmann_takes(text) && !is_ours_alone(error.what())) std::abort();
  }
  return 0;
}
