// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace adarun::monitor {

/// A key that a user has pressed.
struct Key {
  enum class Kind { character, up, down, left, right, home, end, enter, escape };

  Kind kind = Kind::character;
  char character = 0;  ///< Of a `character`: printable ASCII.

  bool operator==(const Key&) const = default;
};

/// Reads keys from what a terminal sends for them. Sequences of keys that mean nothing here are left out.
class KeyReader {
 public:
  /// The keys that these bytes, in pieces as they came, complete.
  std::vector<Key> feed(std::string_view bytes);

  /// An escape character that nothing has followed for a while was the key of that name, not the beginning of
  /// a sequence.
  std::vector<Key> finish();

 private:
  std::string begun_;  ///< A sequence without its end.
};

}  // namespace adarun::monitor
