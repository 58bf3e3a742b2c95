// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "ranktable/json/document.h"
#include "ranktable/json/quote.h"

namespace adarun::ranktable {

/// One JSON value on its own: that of an Extra.
struct Json {
  using Kind = JsonKind;

  Kind kind = Kind::null;
  std::string text;  ///< Of a string its value, of null, booleans and numbers the literal.
  std::string json;  ///< As JSON: ASCII, no blanks.

  bool is(Kind wanted) const { return kind == wanted; }
};

/// The one value that `text` holds. Throws Error like `read_nodes`.
Json parse_json(std::string_view text);

/// Its JSON for a message: cut after about 80 bytes.
std::string shown(const Json& value);

}  // namespace adarun::ranktable
