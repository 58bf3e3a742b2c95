// SPDX-License-Identifier: Apache-2.0
#include "trainer/data/jpeg.h"

#include <cerrno>
#include <csetjmp>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>

// Needs FILE and size_t before it.
#include <jpeglib.h>

#include "trainer/error.h"

namespace adarun::trainer {
namespace {

struct Close {
  void operator()(FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<FILE, Close>;

File open(const std::filesystem::path& file, const char* mode) {
  File opened(std::fopen(file.c_str(), mode));
  if (!opened) throw Error(file.string() + ": cannot be opened: " + std::strerror(errno));
  return opened;
}

/// libjpeg's errors come back by longjmp to `back`, its first warning is kept.
struct Errors {
  jpeg_error_mgr base;  // first: libjpeg hands out its address
  std::jmp_buf back;
  char text[JMSG_LENGTH_MAX] = "";

  Errors() {
    jpeg_std_error(&base);
    base.error_exit = [](j_common_ptr common) {
      auto* errors = reinterpret_cast<Errors*>(common->err);
      errors->keep(common);
      std::longjmp(errors->back, 1);
    };
    base.emit_message = [](j_common_ptr common, int level) {
      if (level < 0) reinterpret_cast<Errors*>(common->err)->keep(common);
    };
  }

  void keep(j_common_ptr common) {
    if (text[0] == '\0') base.format_message(common, text);
  }
};

constexpr std::uint64_t most_pixels = 1U << 28U;

/// Between setjmp and longjmp nothing with a destructor lives here; false where libjpeg gave up. `image` is
/// the caller's.
bool decode(FILE* file, jpeg_decompress_struct& jpeg, Errors& errors, Image& image) {
  if (setjmp(errors.back) != 0) return false;
  jpeg_create_decompress(&jpeg);
  jpeg_stdio_src(&jpeg, file);
  jpeg_read_header(&jpeg, TRUE);
  if (std::uint64_t{jpeg.image_width} * jpeg.image_height > most_pixels) {
    std::strcpy(errors.text, "more than 268435456 pixels");
    return false;
  }
  const bool inks = jpeg.jpeg_color_space == JCS_CMYK || jpeg.jpeg_color_space == JCS_YCCK;
  jpeg.out_color_space = inks ? JCS_CMYK : JCS_RGB;
  jpeg_start_decompress(&jpeg);
  image = Image::black(static_cast<int>(jpeg.output_height), static_cast<int>(jpeg.output_width),
                       jpeg.output_components);
  const std::size_t line = std::size_t{jpeg.output_width} * static_cast<std::size_t>(jpeg.output_components);
  while (jpeg.output_scanline < jpeg.output_height) {
    JSAMPROW row = image.pixels.data() + jpeg.output_scanline * line;
    jpeg_read_scanlines(&jpeg, &row, 1);
  }
  jpeg_finish_decompress(&jpeg);
  return errors.text[0] == '\0';
}

/// As Adobe writes inks: 255 is none.
Image without_inks(const Image& inks) {
  Image image = Image::black(inks.rows, inks.columns, 3);
  for (std::size_t p = 0; p < image.pixels.size() / 3; ++p) {
    for (std::size_t c = 0; c < 3; ++c) {
      image.pixels[3 * p + c] =
          static_cast<std::uint8_t>(inks.pixels[4 * p + c] * inks.pixels[4 * p + 3] / 255);
    }
  }
  return image;
}

bool encode(const Image& image, int quality, FILE* file, jpeg_compress_struct& jpeg, Errors& errors) {
  if (setjmp(errors.back) != 0) return false;
  jpeg_create_compress(&jpeg);
  jpeg_stdio_dest(&jpeg, file);
  jpeg.image_width = static_cast<JDIMENSION>(image.columns);
  jpeg.image_height = static_cast<JDIMENSION>(image.rows);
  jpeg.input_components = image.channels;
  jpeg.in_color_space = image.channels == 1 ? JCS_GRAYSCALE : JCS_RGB;
  jpeg_set_defaults(&jpeg);
  jpeg_set_quality(&jpeg, quality, TRUE);
  jpeg_start_compress(&jpeg, TRUE);
  const std::size_t line = static_cast<std::size_t>(image.columns) * static_cast<std::size_t>(image.channels);
  while (jpeg.next_scanline < jpeg.image_height) {
    JSAMPROW row = const_cast<JSAMPROW>(image.pixels.data() + jpeg.next_scanline * line);
    jpeg_write_scanlines(&jpeg, &row, 1);
  }
  jpeg_finish_compress(&jpeg);
  return true;
}

}  // namespace

Image read_jpeg(const std::filesystem::path& file) {
  const File opened = open(file, "rb");
  Errors errors;
  jpeg_decompress_struct jpeg{};
  jpeg.err = &errors.base;
  Image image;
  const bool whole = decode(opened.get(), jpeg, errors, image);
  jpeg_destroy_decompress(&jpeg);
  if (!whole) throw Error(file.string() + ": " + errors.text);
  return image.channels == 4 ? without_inks(image) : image;
}

void write_jpeg(const Image& image, int quality, const std::filesystem::path& file) {
  const File opened = open(file, "wb");
  Errors errors;
  jpeg_compress_struct jpeg{};
  jpeg.err = &errors.base;
  const bool whole = encode(image, quality, opened.get(), jpeg, errors);
  jpeg_destroy_compress(&jpeg);
  if (!whole) throw Error(file.string() + ": cannot be written: " + errors.text);
}

}  // namespace adarun::trainer
