// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace adarun::monitor {

/// A key pressed by the user.
struct Key {
  enum class Kind { character, up, down, left, right, home, end, enter, escape };

  Kind kind = Kind::character;
  char character = 0;  ///< For `character`: printable ASCII.

  bool operator==(const Key&) const = default;
};

/// Decodes the bytes that a terminal sends for keys. Unknown sequences are ignored.
class KeyReader {
 public:
  /// The keys that these bytes complete; bytes may come in pieces.
  std::vector<Key> feed(std::string_view bytes);

  /// Call when no bytes have come for a while: a pending escape character was then the Escape key, not the
  /// beginning of a sequence.
  std::vector<Key> finish();

 private:
  std::string begun_;  ///< An incomplete sequence.
};

}  // namespace adarun::monitor
