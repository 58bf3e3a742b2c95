// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>
#include <zlib.h>

#include <string>

namespace adarun::monitor {

/// Compresses like `gzip`.
inline std::string packed(const std::string& text) {
  std::string bytes(text.size() + 64, '\0');
  z_stream z{};
  deflateInit2(&z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
  z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  z.avail_in = static_cast<uInt>(text.size());
  z.next_out = reinterpret_cast<Bytef*>(bytes.data());
  z.avail_out = static_cast<uInt>(bytes.size());
  EXPECT_EQ(deflate(&z, Z_FINISH), Z_STREAM_END);
  bytes.resize(z.total_out);
  deflateEnd(&z);
  return bytes;
}

}  // namespace adarun::monitor
