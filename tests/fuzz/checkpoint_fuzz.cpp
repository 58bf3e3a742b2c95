// SPDX-License-Identifier: Apache-2.0
// Any bytes as a checkpoint, with a correct checksum so that the code after it is reached: they give values
// and the position of the training, or an Error that names the file. The same bytes are also read as
// `latest`.
#include <zlib.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tests/fuzz/fuzz_input.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/scratch_folder.h"
#include "trainer/base/error.h"
#include "trainer/checkpoint/file.h"
#include "trainer/checkpoint/latest.h"

namespace trainer = adarun::trainer;

namespace {

constexpr std::string_view magic = "adarun checkpoint 2\n";

void read_or_refuse(const std::string& path) {
  demand(trainer::run_of(path).size() <= 4096);
  std::vector<float> first(3);
  std::vector<float> second(1);
  try {
    trainer::read_checkpoint(path, {"r-1", {{"model", "mlp"}}}, {first, second});
  } catch (const trainer::Error& error) {
    demand(std::string_view(error.what()).starts_with(path));
  }
}

void parse_or_refuse(const std::string& text) {
  try {
    demand(trainer::text_of(trainer::parse_latest("latest", text)) == text);
  } catch (const trainer::Error& error) {
    demand(std::string_view(error.what()).starts_with("latest: "));
  }
}

std::string with_checksum(std::string bytes) {
  const auto sum = static_cast<std::uint32_t>(
      crc32_z(0, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size()));
  return bytes.append(reinterpret_cast<const char*>(&sum), sizeof sum);
}

// A header of the right length, followed by values.
std::string checkpoint_of(std::string_view header, std::string_view values) {
  const std::uint64_t length = header.size();
  std::string bytes(magic);
  bytes.append(reinterpret_cast<const char*>(&length), sizeof length);
  return with_checksum(bytes.append(header).append(values));
}

}  // namespace

FUZZ_TARGET(checkpoint) {
  static const adarun::test::ScratchFolder scratch;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  read_or_refuse(scratch.write("plain", bytes));
  read_or_refuse(scratch.write("checksum", with_checksum(std::string(magic) + std::string(bytes))));
  read_or_refuse(scratch.write("header", checkpoint_of(bytes, std::string(4 * sizeof(float), 'v'))));
  parse_or_refuse(std::string(bytes));
  return 0;
}
