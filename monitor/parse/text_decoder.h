// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace adarun::monitor {

/// Turns a log in UTF-16, as PowerShell writes it, into UTF-8 piece by piece, and leaves out a byte order
/// mark. Where the first bytes show no other encoding, all bytes but zeros are passed on as they are:
/// PowerShell appends UTF-16 to any text.
class TextDecoder {
 public:
  /// The text of the next bytes; valid until the next call, and as long as `bytes` are.
  std::string_view read(std::string_view bytes);

  /// The log begins again.
  void reset() { *this = {}; }

 private:
  enum class Encoding { unknown, bytes, little_endian, big_endian };

  void look_at(std::string_view& bytes);
  std::string_view decode(std::string_view bytes);
  std::string_view without_zeros(std::string_view bytes);

  Encoding encoding_ = Encoding::unknown;
  std::string held_;  ///< Bytes of a mark, or of a character, that is not complete yet.
  std::string text_;
};

}  // namespace adarun::monitor
