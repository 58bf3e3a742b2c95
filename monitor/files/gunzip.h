// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace adarun::monitor {

/// Decompresses gzip data piece by piece. Several gzip files joined into one count as one.
class Gunzip {
 public:
  Gunzip();

  /// Decompresses `packed`, which continues after the bytes used so far, and replaces `bytes` by at most
  /// `max_bytes` of the result. Returns how many bytes of `packed` were used. Throws Error if it is damaged
  /// or not gzip data.
  std::size_t unpack(std::string_view packed, std::string& bytes, std::size_t max_bytes);

 private:
  struct Stream;
  struct Close {
    void operator()(Stream* stream) const;
  };

  std::unique_ptr<Stream, Close> stream_;
};

}  // namespace adarun::monitor
