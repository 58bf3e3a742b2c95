// SPDX-License-Identifier: Apache-2.0
// Any bytes as a JPEG file give a picture of three channels, or an Error that names the file.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "tests/fuzz/fuzz_input.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/scratch_folder.h"
#include "trainer/base/error.h"
#include "trainer/data/images/image_file.h"
#include "trainer/data/images/jpeg.h"

namespace trainer = adarun::trainer;

FUZZ_TARGET(jpeg) {
  static const adarun::test::ScratchFolder scratch;
  const std::string path = scratch.write("picture.jpg", {reinterpret_cast<const char*>(data), size});
  try {
    const trainer::Image image = trainer::read_jpeg(trainer::open_to_read(path).get(), path);
    demand(image.rows > 0 && image.columns > 0 && image.channels == 3);
  } catch (const trainer::Error& error) {
    demand(std::string_view(error.what()).starts_with(path));
  }
  return 0;
}
