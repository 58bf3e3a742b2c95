// SPDX-License-Identifier: Apache-2.0
#include "monitor/plot/strokes.h"

#include <array>

namespace adarun::monitor::plot {
namespace {

// Characters from ' ' to '~', on a grid of 5 columns and 9 rows. A point is a digit for the column and one
// for the row: row 2 is the baseline, 6 the top of an x, 8 the top of an X. Spaces separate the points of a
// stroke, commas the strokes.
constexpr std::array<std::string_view, 95> glyphs{"",
                                                  "28 24,22 22",
                                                  "18 16,38 36",
                                                  "12 18,32 38,04 44,06 46",
                                                  "47 38 18 07 06 15 35 44 43 32 12 03,28 22",
                                                  "08 18 17 07 08,33 43 42 32 33,02 48",
                                                  "42 17 18 28 27 04 03 12 22 44",
                                                  "28 26",
                                                  "38 26 24 32",
                                                  "18 26 24 12",
                                                  "27 23,06 44,04 46",
                                                  "27 23,05 45",
                                                  "23 22 11",
                                                  "15 35",
                                                  "22 22",
                                                  "02 48",
                                                  "18 38 47 43 32 12 03 07 18",
                                                  "16 28 22",
                                                  "07 18 38 47 46 02 42",
                                                  "07 18 38 47 46 35 44 43 32 12 03,15 35",
                                                  "32 38 04 44",
                                                  "48 08 05 35 44 43 32 12 03",
                                                  "47 38 18 07 03 12 32 43 44 35 15 04",
                                                  "08 48 12",
                                                  "15 06 07 18 38 47 46 35 15 04 03 12 32 43 44 35",
                                                  "03 12 32 43 47 38 18 07 06 15 35 46",
                                                  "26 26,23 23",
                                                  "26 26,23 22 11",
                                                  "37 05 33",
                                                  "04 44,06 46",
                                                  "17 45 13",
                                                  "07 18 38 47 46 25 24,22 22",
                                                  "34 26 15 14 23 34 36,34 43 47 38 18 07 03 12 32",
                                                  "02 28 42,14 34",
                                                  "02 08 38 47 46 35 05,35 44 43 32 02",
                                                  "47 38 18 07 03 12 32 43",
                                                  "02 08 28 47 43 22 02",
                                                  "48 08 02 42,05 35",
                                                  "48 08 02,05 35",
                                                  "47 38 18 07 03 12 32 43 45 25",
                                                  "02 08,42 48,05 45",
                                                  "22 28,12 32,18 38",
                                                  "38 33 22 12 03",
                                                  "02 08,48 05 42",
                                                  "08 02 42",
                                                  "02 08 25 48 42",
                                                  "02 08 42 48",
                                                  "18 38 47 43 32 12 03 07 18",
                                                  "02 08 38 47 46 35 05",
                                                  "18 38 47 43 32 12 03 07 18,24 42",
                                                  "02 08 38 47 46 35 05,25 42",
                                                  "47 38 18 07 06 15 35 44 43 32 12 03",
                                                  "08 48,28 22",
                                                  "08 03 12 32 43 48",
                                                  "08 22 48",
                                                  "08 12 26 32 48",
                                                  "02 48,08 42",
                                                  "08 25 48,25 22",
                                                  "08 48 02 42",
                                                  "38 28 22 32",
                                                  "08 42",
                                                  "18 28 22 12",
                                                  "06 28 46",
                                                  "01 41",
                                                  "18 27",
                                                  "16 36 45 42,44 14 03 12 32 43",
                                                  "08 02,05 16 36 45 43 32 12 03",
                                                  "45 36 16 05 03 12 32 43",
                                                  "48 42,45 36 16 05 03 12 32 43",
                                                  "04 44 45 36 16 05 03 12 32 43",
                                                  "48 38 27 22,16 36",
                                                  "46 41 30 10 01,45 36 16 05 03 12 32 43",
                                                  "08 02,05 16 36 45 42",
                                                  "26 22,28 28",
                                                  "36 31 20 10,38 38",
                                                  "08 02,46 04 42",
                                                  "28 22",
                                                  "02 06,05 16 25 22,25 36 45 42",
                                                  "02 06,05 16 36 45 42",
                                                  "16 36 45 43 32 12 03 05 16",
                                                  "06 00,05 16 36 45 43 32 12 03",
                                                  "46 40,45 36 16 05 03 12 32 43",
                                                  "02 06,05 16 36",
                                                  "45 36 16 05 14 34 43 32 12 03",
                                                  "28 23 32 42,06 46",
                                                  "06 03 12 32 43,46 42",
                                                  "06 22 46",
                                                  "06 12 25 32 46",
                                                  "02 46,06 42",
                                                  "06 22,46 10",
                                                  "06 46 02 42",
                                                  "38 27 26 15 24 23 32",
                                                  "28 21",
                                                  "18 27 26 35 24 23 12",
                                                  "04 16 34 46"};

constexpr double units_per_size = 9.5;  // rows in a line
constexpr double advance = 5.6;         // columns from one character to the next

std::string_view glyph_of(char c) {
  return c >= ' ' && c <= '~' ? glyphs[static_cast<std::size_t>(c - ' ')] : glyphs['?' - ' '];
}

bool continues_utf8(char c) {
  return (static_cast<unsigned char>(c) & 0xC0U) == 0x80;
}

}  // namespace

double width_of(std::string_view text, double size) {
  double characters = 0;
  for (const char c : text)
    if (!continues_utf8(c)) ++characters;
  return characters * advance * size / units_per_size;
}

std::vector<std::vector<PixelPoint>> strokes_of(std::string_view text, PixelPoint at, double size,
                                                Align align) {
  const double unit = size / units_per_size;
  const double width = width_of(text, size);
  if (align == Align::centre) at.x -= width / 2;
  if (align == Align::right) at.x -= width;
  std::vector<std::vector<PixelPoint>> strokes;
  for (const char c : text) {
    if (continues_utf8(c)) continue;
    const std::string_view glyph = glyph_of(c);
    for (std::size_t i = 0; i + 1 < glyph.size(); i += 3) {
      if (i == 0 || glyph[i - 1] == ',') strokes.emplace_back();
      strokes.back().push_back({at.x + (glyph[i] - '0' + 0.5) * unit, at.y - (glyph[i + 1] - '2') * unit});
    }
    at.x += advance * unit;
  }
  return strokes;
}

}  // namespace adarun::monitor::plot
