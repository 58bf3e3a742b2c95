// SPDX-License-Identifier: Apache-2.0
#include "trainer/data/images/image_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <new>

#include "base/system_text.h"
#include "trainer/base/error.h"
#include "trainer/data/images/jpeg.h"
#include "trainer/data/images/png.h"

namespace adarun::trainer {
namespace {

CFile checked(CFile opened, const std::filesystem::path& file) {
  if (!opened) throw Error(file.string() + ": cannot be opened: " + base::system_text(errno));
  return opened;
}

}  // namespace

CFile open_to_read(const std::filesystem::path& file) {
  // Without O_NONBLOCK, opening a pipe would block until there is a writer.
  const int descriptor = ::open(file.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  CFile opened = checked(CFile(descriptor < 0 ? nullptr : ::fdopen(descriptor, "rb")), file);
  struct stat status {};
  if (::fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode)) {
    throw Error(file.string() + ": not a regular file");
  }
  return opened;
}

namespace {

/// The highest divisor with which the part still has `side` rows and columns.
int divisor_for(const CropBox& part, int side) {
  const double least = std::min(part.rows, part.columns);
  int divisor = 1;
  while (divisor < 8 && least >= 2.0 * divisor * side) divisor *= 2;
  return divisor;
}

}  // namespace

Image read_part(const std::filesystem::path& file, const std::function<CropBox(const ImageSize&)>& part,
                int side) {
  const CFile opened = open_to_read(file);
  try {
    CropBox box;
    int divisor = 1;
    const Shrinking choose = [&](const ImageSize& stored) {
      box = part(stored);
      return divisor = divisor_for(box, side);
    };
    if (begins_as_png(opened.get())) {
      const Image image = read_png(opened.get(), file);
      return resample(image, part({image.rows, image.columns}), side, side);
    }
    const Image image = read_jpeg(opened.get(), file, choose);
    const double scale = 1.0 / divisor;
    return resample(image, {scale * box.top, scale * box.left, scale * box.rows, scale * box.columns}, side,
                    side);
  } catch (const std::bad_alloc&) {
    throw Error(file.string() + ": no memory for its pixels");
  }
}

Image read_image(const std::filesystem::path& file) {
  const CFile opened = open_to_read(file);
  try {
    return begins_as_png(opened.get()) ? read_png(opened.get(), file) : read_jpeg(opened.get(), file);
  } catch (const std::bad_alloc&) {
    throw Error(file.string() + ": no memory for its pixels");
  }
}

}  // namespace adarun::trainer
