// SPDX-License-Identifier: Apache-2.0
#include "trainer/data/images/image_file.h"

#include <new>

#include "trainer/base/error.h"
#include "trainer/data/images/c_file.h"
#include "trainer/data/images/jpeg.h"
#include "trainer/data/images/png.h"

namespace adarun::trainer {

Image read_image(const std::filesystem::path& file) {
  const CFile opened = open_to_read(file);
  try {
    return begins_as_png(opened.get()) ? read_png(opened.get(), file) : read_jpeg(opened.get(), file);
  } catch (const std::bad_alloc&) {
    throw Error(file.string() + ": no memory for its pixels");
  }
}

}  // namespace adarun::trainer
