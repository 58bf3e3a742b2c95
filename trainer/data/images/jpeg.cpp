// SPDX-License-Identifier: Apache-2.0
#include "trainer/data/images/jpeg.h"

#include <fcntl.h>

#include <cerrno>
#include <csetjmp>
#include <cstdio>
#include <cstring>
#include <string>

// needs FILE and size_t
#include <jpeglib.h>
// the codes of its messages
#include <jerror.h>

#include "base/new_file.h"
#include "base/system_text.h"
#include "trainer/base/error.h"
#include "trainer/data/images/image_file.h"

namespace adarun::trainer {
namespace {

/// Warnings of libjpeg that intact files cause too. Extra bytes may also come from damage, which is then
/// accepted, like a changed bit that leaves no extra bytes.
bool is_harmless(int warning) {
  return warning == JWRN_EXTRANEOUS_DATA || warning == JWRN_JFIF_MAJOR || warning == JWRN_ADOBE_XFORM;
}

/// libjpeg's errors, and the first warning that is not harmless, longjmp to `back`: what libjpeg decodes of a
/// torn file after that is not valid, and may be large.
struct JpegErrors {
  jpeg_error_mgr base;  // first: libjpeg passes its address
  std::jmp_buf back;
  char text[JMSG_LENGTH_MAX] = "";

  JpegErrors() {
    jpeg_std_error(&base);
    base.error_exit = [](j_common_ptr common) {
      auto* errors = reinterpret_cast<JpegErrors*>(common->err);
      errors->base.format_message(common, errors->text);
      std::longjmp(errors->back, 1);
    };
    base.emit_message = [](j_common_ptr common, int level) {
      if (level < 0 && !is_harmless(common->err->msg_code)) common->err->error_exit(common);
    };
  }

  [[noreturn]] void give_up(const char* reason) {
    std::strcpy(text, reason);
    std::longjmp(back, 1);
  }
};

/// libjpeg's memory for reading one file.
struct Decompressor {
  jpeg_decompress_struct state{};
  Decompressor() = default;
  ~Decompressor() { jpeg_destroy_decompress(&state); }
  Decompressor(const Decompressor&) = delete;
  Decompressor& operator=(const Decompressor&) = delete;
};

/// Limits the number of scans, each of which goes over all pixels: cameras and programs write about ten, but
/// a small file can contain any number.
void bound_scans(j_common_ptr common) {
  constexpr int most_scans = 500;
  const auto* jpeg = reinterpret_cast<jpeg_decompress_struct*>(common);
  if (jpeg->input_scan_number > most_scans)
    reinterpret_cast<JpegErrors*>(common->err)->give_up("more than 500 scans");
}

/// No object with a destructor may be created between setjmp and longjmp; `image` belongs to the caller.
/// Returns false if libjpeg failed.
bool decode_jpeg(FILE* file, jpeg_decompress_struct& jpeg, JpegErrors& errors, const Shrinking& shrinking,
                 Image& image) {
  jpeg_progress_mgr scans{};
  scans.progress_monitor = bound_scans;
  if (setjmp(errors.back) != 0) return false;
  jpeg_create_decompress(&jpeg);
  jpeg_stdio_src(&jpeg, file);
  jpeg_read_header(&jpeg, TRUE);
  if (std::uint64_t{jpeg.image_width} * jpeg.image_height > most_pixels) errors.give_up(too_many_pixels);
  // The arithmetic decoder continues with zeros after the end of the data, without a warning.
  if (jpeg.arith_code) errors.give_up("arithmetic coding");
  jpeg.progress = &scans;
  const bool inks = jpeg.jpeg_color_space == JCS_CMYK || jpeg.jpeg_color_space == JCS_YCCK;
  jpeg.out_color_space = inks ? JCS_CMYK : JCS_RGB;
  jpeg.scale_denom = static_cast<unsigned>(
      shrinking({static_cast<int>(jpeg.image_height), static_cast<int>(jpeg.image_width)}));
  jpeg_start_decompress(&jpeg);
  image = {
      static_cast<int>(jpeg.output_height), static_cast<int>(jpeg.output_width), jpeg.output_components, {}};
  const std::size_t line = std::size_t{jpeg.output_width} * static_cast<std::size_t>(jpeg.output_components);
  image.pixels.reserve(line * jpeg.output_height);  // the pages are not touched before there is data for them
  while (jpeg.output_scanline < jpeg.output_height) {
    image.pixels.resize(line * (jpeg.output_scanline + 1));
    JSAMPROW row = image.pixels.data() + line * jpeg.output_scanline;
    jpeg_read_scanlines(&jpeg, &row, 1);
  }
  jpeg_finish_decompress(&jpeg);
  return true;
}

/// Uses Adobe's convention for inks: 255 is no ink.
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

bool encode(const Image& image, int quality, FILE* file, jpeg_compress_struct& jpeg, JpegErrors& errors) {
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

Image read_jpeg(std::FILE* file, const std::filesystem::path& path, const Shrinking& shrinking) {
  JpegErrors errors;
  Decompressor jpeg;
  jpeg.state.err = &errors.base;
  Image image;
  const bool whole = decode_jpeg(file, jpeg.state, errors, shrinking, image);
  if (!whole) throw Error(path.string() + ": " + errors.text);
  return image.channels == 4 ? without_inks(image) : image;
}

void write_jpeg(const Image& image, int quality, const std::filesystem::path& file) {
  constexpr mode_t readable_and_writable = 0666;
  base::NewFile made(file, readable_and_writable);
  CFile opened(made ? ::fdopen(::fcntl(made.fd(), F_DUPFD_CLOEXEC, 0), "wb") : nullptr);
  if (!opened) throw Error(file.string() + ": cannot be written: " + base::system_text(errno));
  JpegErrors errors;
  jpeg_compress_struct jpeg{};
  jpeg.err = &errors.base;
  const bool whole = encode(image, quality, opened.get(), jpeg, errors);
  jpeg_destroy_compress(&jpeg);
  if (!whole) throw Error(file.string() + ": cannot be written: " + errors.text);
  if (std::fclose(opened.release()) != 0 || !made.put_in_place())  // NOLINT: its result counts
    throw Error(file.string() + ": cannot be written: " + base::system_text(errno));
}

}  // namespace adarun::trainer
