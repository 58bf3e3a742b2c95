// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace adarun::monitor {

/// Unpacks gzip data in pieces as they come; files that were packed one by one and joined count as one.
class Gunzip {
 public:
  Gunzip();

  /// Puts what `packed`, which follows what was used before, unpacks to into `bytes`, at most `max_bytes`,
  /// and says how many bytes of it were used. Throws Error where that is no gzip data, or damaged.
  std::size_t unpack(std::string_view packed, std::string& bytes, std::size_t max_bytes);

 private:
  struct Stream;
  struct Close {
    void operator()(Stream* stream) const;
  };

  std::unique_ptr<Stream, Close> stream_;
};

}  // namespace adarun::monitor
