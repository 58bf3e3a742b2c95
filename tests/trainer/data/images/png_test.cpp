// SPDX-License-Identifier: Apache-2.0
// PNG files of every kind, made here by hand.
#include <gtest/gtest.h>
#include <zlib.h>

#include <algorithm>
#include <iterator>

#include "tests/scratch_folder.h"
#include "tests/trainer/refusal.h"
#include "trainer/data/images/image_file.h"

namespace adarun::trainer {
namespace {

using namespace std::string_literals;

const std::string signature = "\x89PNG\r\n\x1a\n";

std::string number(std::size_t value) {
  std::string bytes;
  for (const unsigned shift : {24U, 16U, 8U, 0U}) bytes += static_cast<char>(value >> shift);
  return bytes;
}

std::string chunk(const std::string& type, const std::string& data) {
  const std::string covered = type + data;
  const auto sum =
      crc32(0, reinterpret_cast<const Bytef*>(covered.data()), static_cast<uInt>(covered.size()));
  return number(data.size()) + covered + number(sum);
}

std::string packed(const std::string& bytes) {
  uLongf size = compressBound(bytes.size());
  std::string result(size, '\0');
  compress(reinterpret_cast<Bytef*>(result.data()), &size, reinterpret_cast<const Bytef*>(bytes.data()),
           bytes.size());
  return result.substr(0, size);
}

enum Colours : char { grey = 0, rgb = 2, palette = 3, grey_alpha = 4, rgb_alpha = 6 };
enum Interlace : char { none = 0, adam7 = 1 };

std::string header(std::size_t columns, std::size_t rows, char depth, Colours colours,
                   Interlace interlace = none) {
  return chunk("IHDR", number(columns) + number(rows) + depth + static_cast<char>(colours) + "\0\0"s +
                           static_cast<char>(interlace));
}

/// A file of these chunks after the header, and pixels as rows with their filter's byte.
std::string png(const std::string& header, const std::string& chunks, const std::string& rows) {
  return signature + header + chunks + chunk("IDAT", packed(rows)) + chunk("IEND", "");
}

using Pixels = std::vector<std::uint8_t>;

/// 9x9 pixels, each of a different colour.
Pixels nine_by_nine() {
  Pixels pixels;
  for (int row = 0; row < 9; ++row) {
    for (int column = 0; column < 9; ++column) {
      for (const int value : {20 * row, 20 * column, row + column})
        pixels.push_back(static_cast<std::uint8_t>(value));
    }
  }
  return pixels;
}

/// The pixels in the order of the seven passes (PNG specification, 8.2).
std::string in_passes(const Pixels& pixels) {
  struct Pass {
    std::size_t row, column, row_step, column_step;
  };
  std::string bytes;
  for (const Pass& pass : {Pass{0, 0, 8, 8}, Pass{0, 4, 8, 8}, Pass{4, 0, 8, 4}, Pass{0, 2, 4, 4},
                           Pass{2, 0, 4, 2}, Pass{0, 1, 2, 2}, Pass{1, 0, 2, 1}}) {
    for (std::size_t row = pass.row; row < 9; row += pass.row_step) {
      bytes += '\0';
      for (std::size_t column = pass.column; column < 9; column += pass.column_step) {
        bytes.append(reinterpret_cast<const char*>(pixels.data()) + 3 * (9 * row + column), 3);
      }
    }
  }
  return bytes;
}

/// 16 MB of zeros, more than libpng unpacks from a chunk.
std::string bomb() {
  std::string nothing;
  nothing.resize(16'000'000);
  return packed(nothing);
}

TEST(Png, OfEveryKindIsThreeChannelsOfEightBits) {
  const test::ScratchFolder folder;
  const std::string colours = chunk("PLTE", {10, 20, 30, 40, 50, 60});
  struct Case {
    const char* name;
    std::string bytes;
    Pixels wanted;
  };
  const Pixels dark_and_bright = {0, 0, 0, 255, 255, 255};
  const Case cases[] = {
      {"grey 1", png(header(2, 1, 1, grey), "", "\0\x40"s), dark_and_bright},
      {"grey 2", png(header(2, 1, 2, grey), "", "\0\x30"s), dark_and_bright},
      {"grey 4", png(header(2, 1, 4, grey), "", "\0\x18"s), {17, 17, 17, 136, 136, 136}},
      {"grey 8", png(header(2, 1, 8, grey), "", "\0\0\xff"s), dark_and_bright},
      {"grey 16", png(header(2, 1, 16, grey), "", "\0\x80\x80\xff\xff"s), {128, 128, 128, 255, 255, 255}},
      {"rgb 8", png(header(2, 1, 8, rgb), "", "\0\1\2\3\4\5\6"s), {1, 2, 3, 4, 5, 6}},
      {"rgb 16", png(header(1, 1, 16, rgb), "", "\0\1\1\2\2\3\3"s), {1, 2, 3}},
      {"palette 1", png(header(2, 1, 1, palette), colours, "\0\x40"s), {10, 20, 30, 40, 50, 60}},
      {"palette 8", png(header(2, 1, 8, palette), colours, "\0\1\0"s), {40, 50, 60, 10, 20, 30}},
      {"palette 8, transparent",
       png(header(2, 1, 8, palette), colours + chunk("tRNS", "\0"s), "\0\1\0"s),
       {40, 50, 60, 10, 20, 30}},
      {"no such colour", png(header(2, 1, 8, palette), colours, "\0\1\xff"s), {40, 50, 60, 0, 0, 0}},
      {"grey and alpha 8",
       png(header(2, 1, 8, grey_alpha), "", "\0\x64\0\xc8\xff"s),
       {100, 100, 100, 200, 200, 200}},
      {"grey and alpha 16", png(header(1, 1, 16, grey_alpha), "", "\0\x64\x64\0\0"s), {100, 100, 100}},
      {"rgb and alpha 8", png(header(2, 1, 8, rgb_alpha), "", "\0\1\2\3\0\4\5\6\xff"s), {1, 2, 3, 4, 5, 6}},
      {"rgb and alpha 16", png(header(1, 1, 16, rgb_alpha), "", "\0\1\1\2\2\3\3\0\0"s), {1, 2, 3}},
      {"grey, transparent", png(header(2, 1, 8, grey), chunk("tRNS", "\0\0"s), "\0\0\xff"s), dark_and_bright},
      {"rgb, transparent", png(header(1, 1, 8, rgb), chunk("tRNS", "\0\1\0\2\0\3"s), "\0\1\2\3"s), {1, 2, 3}},
      {"interlaced", png(header(9, 9, 8, rgb, adam7), "", in_passes(nine_by_nine())), nine_by_nine()},
      {"text bomb", png(header(1, 1, 8, rgb), chunk("zTXt", "a\0\0"s + bomb()), "\0\1\2\3"s), {1, 2, 3}},
      {"profile bomb", png(header(1, 1, 8, rgb), chunk("iCCP", "a\0\0"s + bomb()), "\0\1\2\3"s), {1, 2, 3}},
      {"more pixels than said",
       png(header(1, 1, 8, rgb), "", "\0\1\2\3"s + std::string(1000, 'x')),
       {1, 2, 3}},
  };
  for (const Case& given : cases) {
    const Image image = read_image(folder.write("a.JPEG", given.bytes));
    EXPECT_EQ(image.channels, 3) << given.name;
    EXPECT_EQ(image.pixels, given.wanted) << given.name;
  }
}

TEST(Png, RefusesCorruptFilesByName) {
  const test::ScratchFolder folder;
  const std::string good = png(header(9, 9, 8, rgb, adam7), "", in_passes(nine_by_nine()));
  std::string flipped = good;
  flipped[good.size() - 20] ^= 1;  // in the pixels
  struct Case {
    const char* name;
    std::string bytes;
    const char* reason;
  };
  const Case cases[] = {
      {"signature", good.substr(0, 8), "Read Error"},
      {"cut in its header", good.substr(0, 20), "Read Error"},
      {"cut in its pixels", good.substr(0, 60), "Read Error"},
      {"cut before its end", good.substr(0, good.size() - 12), "Read Error"},
      {"flipped", flipped, ""},
      {"no header", signature + chunk("IEND", ""), "IEND: out of place"},
      {"no pixels", signature + header(1, 1, 8, rgb) + chunk("IEND", ""), "IEND: out of place"},
      {"no palette", png(header(1, 1, 8, palette), "", "\0\0"s), "Missing PLTE"},
      {"fewer pixels than said", png(header(9, 9, 8, rgb), "", "\0\1\2\3"s), "Not enough image data"},
      {"nothing wide", png(header(0, 1, 8, rgb), "", ""), "Invalid IHDR"},
      {"3 bits", png(header(1, 1, 3, grey), "", ""), "Invalid IHDR"},
      {"unknown colours", png(header(1, 1, 8, static_cast<Colours>(7)), "", ""), "Invalid IHDR"},
      {"wide", png(header(2'000'000, 1, 8, grey), "", ""), "Invalid IHDR"},
      {"bomb", png(header(100'000, 100'000, 1, grey), "", ""), "more than 268435456 pixels"},
      {"tower", png(header(1, 65'536, 8, rgb), "", ""), "more than 65535 pixels in a row or column"},
      {"small bomb", png(header(16'000, 16'000, 8, rgb), "", ""),
       "16000 x 16000 pixels cannot be in a file of"},
      {"critical chunk", png(header(1, 1, 8, rgb), chunk("ABCD", ""), "\0\1\2\3"s),
       "unhandled critical chunk"},
  };
  for (const Case& given : cases) {
    const std::string file = folder.write("a.png", given.bytes).string();
    const std::string message = testing_data::refusal([&] { read_image(file); });
    EXPECT_TRUE(message.starts_with(file + ": ")) << given.name << ": " << message;
    EXPECT_NE(message.find(given.reason), std::string::npos) << given.name << ": " << message;
  }
}

}  // namespace
}  // namespace adarun::trainer
