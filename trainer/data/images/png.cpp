// SPDX-License-Identifier: Apache-2.0
#include "trainer/data/images/png.h"

#include <png.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csetjmp>
#include <cstdio>
#include <cstring>

#include "trainer/base/error.h"

namespace adarun::trainer {
namespace {

[[noreturn]] void give_up(png_structp png, png_const_charp text);

/// Warnings concern ignored chunks, or a palette with unused entries.
void ignore(png_structp /*png*/, png_const_charp /*text*/) {}

/// libpng's memory for reading one file. Its errors longjmp to `back`.
class PngReader {
 public:
  PngReader()
      : png(png_create_read_struct(PNG_LIBPNG_VER_STRING, this, give_up, ignore)),
        info(png == nullptr ? nullptr : png_create_info_struct(png)) {}
  ~PngReader() { png_destroy_read_struct(&png, &info, nullptr); }
  PngReader(const PngReader&) = delete;
  PngReader& operator=(const PngReader&) = delete;

  std::jmp_buf back;
  char text[200] = "";
  png_structp png;
  png_infop info;
};

[[noreturn]] void give_up(png_structp png, png_const_charp text) {
  auto* reader = static_cast<PngReader*>(png_get_error_ptr(png));
  std::snprintf(reader->text, sizeof reader->text, "%s", text);
  std::longjmp(reader->back, 1);
}

/// Skips chunks that do not affect pixels (texts, profiles), so they cannot cause errors or use memory.
void start(png_structp png, std::FILE* file) {
  png_set_keep_unknown_chunks(png, PNG_HANDLE_CHUNK_NEVER, nullptr, -1);
  png_init_io(png, file);
}

/// The limit of JPEG: resample() keeps a line of floats for each row that it reads.
constexpr png_uint_32 most_in_a_line = 65535;

/// Fails if `rows` and `columns` are over the limits, or more than a file of this size can hold.
void check_size(PngReader& reader, std::FILE* file, png_uint_32 rows, png_uint_32 columns) {
  if (std::uint64_t{rows} * columns > most_pixels) png_error(reader.png, too_many_pixels);
  if (std::max(rows, columns) > most_in_a_line)
    png_error(reader.png, "more than 65535 pixels in a row or column");
  // The maximum for deflate: 258 bytes from a code of 1 bit and a distance of 1 bit.
  constexpr std::uint64_t best_compression = 1032;
  struct stat status {};
  if (::fstat(::fileno(file), &status) != 0) png_error(reader.png, std::strerror(errno));
  const auto size = static_cast<std::uint64_t>(status.st_size);
  if (rows * std::uint64_t{png_get_rowbytes(reader.png, reader.info)} <= size * best_compression) return;
  char text[120];
  std::snprintf(text, sizeof text, "%u x %u pixels cannot be in a file of %llu bytes", columns, rows,
                static_cast<unsigned long long>(size));
  png_error(reader.png, text);
}

/// Converts any format to three channels of 8 bits. Returns the number of passes that libpng makes over the
/// rows.
int ask_for_rgb(png_structp png, png_infop info) {
  png_set_scale_16(png);
  png_set_expand(png);
  png_set_gray_to_rgb(png);
  png_set_strip_alpha(png);
  const int passes = png_set_interlace_handling(png);
  png_read_update_info(png, info);
  return passes;
}

/// No object with a destructor may be created between setjmp and longjmp; `image` belongs to the caller.
/// Returns false if libpng failed.
bool decode_png(std::FILE* file, PngReader& reader, Image& image) {
  if (setjmp(reader.back) != 0) return false;
  start(reader.png, file);
  png_read_info(reader.png, reader.info);
  const png_uint_32 rows = png_get_image_height(reader.png, reader.info);
  const png_uint_32 columns = png_get_image_width(reader.png, reader.info);
  check_size(reader, file, rows, columns);
  const int passes = ask_for_rgb(reader.png, reader.info);
  if (png_get_rowbytes(reader.png, reader.info) != std::size_t{3} * columns) {
    png_error(reader.png, "cannot be made three channels of 8 bits");
  }
  image = Image::black(static_cast<int>(rows), static_cast<int>(columns), 3);
  for (int pass = 0; pass < passes; ++pass) {
    for (png_uint_32 row = 0; row < rows; ++row) {
      png_read_row(reader.png, image.pixels.data() + std::size_t{3} * columns * row, nullptr);
    }
  }
  png_read_end(reader.png, nullptr);
  return true;
}

}  // namespace

bool begins_as_png(std::FILE* file) {
  std::array<png_byte, 8> first{};
  const std::size_t count = std::fread(first.data(), 1, first.size(), file);
  std::rewind(file);
  return count == first.size() && png_sig_cmp(first.data(), 0, first.size()) == 0;
}

Image read_png(std::FILE* file, const std::filesystem::path& path) {
  PngReader reader;
  if (reader.info == nullptr) throw Error(path.string() + ": no memory to read it");
  Image image;
  if (!decode_png(file, reader, image)) throw Error(path.string() + ": " + reader.text);
  return image;
}

}  // namespace adarun::trainer
