// SPDX-License-Identifier: Apache-2.0
// Any bytes as a PNG file give a picture of three channels, or an Error that names the file. Checksums of
// chunks are corrected, so that more than the first chunk is read.
#include <zlib.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "tests/fuzz/fuzz_input.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/scratch_folder.h"
#include "trainer/base/error.h"
#include "trainer/data/images/image_file.h"
#include "trainer/data/images/png.h"

namespace trainer = adarun::trainer;

namespace {

std::size_t number_at(const std::string& bytes, std::size_t at) {
  std::size_t value = 0;
  for (std::size_t i = at; i < at + 4; ++i) value = 256 * value + static_cast<std::uint8_t>(bytes[i]);
  return value;
}

/// A chunk is the length of its data, four letters, data, and the checksum of letters and data.
void correct_checksums(std::string& bytes) {
  for (std::size_t at = 8; at + 12 <= bytes.size();) {
    const std::size_t covered = number_at(bytes, at) + 4;
    if (covered > bytes.size() - at - 8) return;
    const auto sum =
        crc32(0, reinterpret_cast<const Bytef*>(bytes.data()) + at + 4, static_cast<uInt>(covered));
    at += 4 + covered;
    for (const unsigned shift : {24U, 16U, 8U, 0U}) bytes[at++] = static_cast<char>(sum >> shift);
  }
}

}  // namespace

FUZZ_TARGET(png) {
  static const adarun::test::ScratchFolder scratch;
  std::string bytes(reinterpret_cast<const char*>(data), size);
  correct_checksums(bytes);
  const std::string path = scratch.write("picture.png", bytes);
  try {
    const trainer::Image image = trainer::read_png(trainer::open_to_read(path).get(), path);
    demand(image.rows > 0 && image.columns > 0 && image.channels == 3);
  } catch (const trainer::Error& error) {
    demand(std::string_view(error.what()).starts_with(path));
  }
  return 0;
}
