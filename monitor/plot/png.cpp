// SPDX-License-Identifier: Apache-2.0
#include "monitor/plot/png.h"

#include <zlib.h>

#include <cstdint>

#include "monitor/base/error.h"

namespace adarun::monitor::plot {
namespace {

std::string big_endian(std::uint32_t value) {
  std::string bytes;
  for (unsigned shift = 32; shift > 0;) bytes += static_cast<char>(value >> (shift -= 8) & 0xFFU);
  return bytes;
}

// A PNG chunk: length, name, content, and a checksum of name and content.
std::string chunk(const std::string& name, const std::string& content) {
  const std::string body = name + content;
  const auto sum = crc32(0, reinterpret_cast<const Bytef*>(body.data()), static_cast<uInt>(body.size()));
  return big_endian(static_cast<std::uint32_t>(content.size())) + body +
         big_endian(static_cast<std::uint32_t>(sum));
}

std::string packed(const std::string& bytes) {
  uLongf size = compressBound(bytes.size());
  std::string result(size, '\0');
  if (compress2(reinterpret_cast<Bytef*>(result.data()), &size, reinterpret_cast<const Bytef*>(bytes.data()),
                bytes.size(), Z_BEST_COMPRESSION) != Z_OK)
    throw Error("a picture cannot be packed");
  result.resize(size);
  return result;
}

}  // namespace

std::string png(const Bitmap& bitmap) {
  const auto row_bytes = 3 * static_cast<std::size_t>(bitmap.width);
  std::string rows;
  for (std::size_t begin = 0; begin < bitmap.bytes.size(); begin += row_bytes) {
    rows += '\0';  // each row begins with its filter: none
    rows.append(reinterpret_cast<const char*>(&bitmap.bytes[begin]), row_bytes);
  }
  const std::string header = big_endian(static_cast<std::uint32_t>(bitmap.width)) +
                             big_endian(static_cast<std::uint32_t>(bitmap.height)) +
                             std::string("\x08\x02\x00\x00\x00", 5);
  return "\x89PNG\r\n\x1a\n" + chunk("IHDR", header) + chunk("IDAT", packed(rows)) + chunk("IEND", "");
}

}  // namespace adarun::monitor::plot
