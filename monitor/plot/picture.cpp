// SPDX-License-Identifier: Apache-2.0
#include "monitor/plot/picture.h"

#include <zlib.h>

#include <array>
#include <cstddef>
#include <cstdio>
#include <string_view>

#include "base/clean_text.h"
#include "monitor/base/error.h"
#include "monitor/plot/raster.h"

namespace adarun::monitor::plot {
namespace {

std::string big_endian(std::uint32_t value) {
  std::string bytes;
  for (unsigned shift = 32; shift > 0;) bytes += static_cast<char>(value >> (shift -= 8) & 0xFFU);
  return bytes;
}

// A PNG chunk: length, name, content, and a checksum of name and content.
std::string chunk(const std::string& name, const std::string& content) {
  const std::string body = name + content;
  const auto sum = crc32(0, reinterpret_cast<const Bytef*>(body.data()), static_cast<uInt>(body.size()));
  return big_endian(static_cast<std::uint32_t>(content.size())) + body +
         big_endian(static_cast<std::uint32_t>(sum));
}

std::string packed(const std::string& bytes) {
  uLongf size = compressBound(bytes.size());
  std::string result(size, '\0');
  if (compress2(reinterpret_cast<Bytef*>(result.data()), &size, reinterpret_cast<const Bytef*>(bytes.data()),
                bytes.size(), Z_BEST_COMPRESSION) != Z_OK)
    throw Error("a picture cannot be packed");
  result.resize(size);
  return result;
}

std::string number(double value) {
  std::array<char, 40> text{};
  std::snprintf(text.data(), text.size(), "%.6g", value);
  return text.data();
}

std::string paint_attributes(const char* what, const Color& color) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "#%02x%02x%02x", color.red, color.green, color.blue);
  std::string attributes = std::string(" ") + what + "=\"" + text.data() + "\"";
  if (color.opacity < 1) attributes += std::string(" ") + what + "-opacity=\"" + number(color.opacity) + "\"";
  return attributes;
}

// Escapes text for XML, whatever its bytes: XML allows neither control characters nor U+FFFE and U+FFFF.
std::string escaped(const std::string& text) {
  std::string xml;
  for (const char c : base::clean_line(text)) {
    if (c == '<')
      xml += "&lt;";
    else if (c == '>')
      xml += "&gt;";
    else if (c == '&')
      xml += "&amp;";
    else if (c == '"')
      xml += "&quot;";
    else
      xml += c;
  }
  for (const std::string_view none : {"\xef\xbf\xbe", "\xef\xbf\xbf"})
    for (std::size_t at = 0; (at = xml.find(none, at)) != std::string::npos;)
      xml.replace(at, none.size(), "?");
  return xml;
}

std::string point_list(const std::vector<PixelPoint>& points) {
  std::string text = " points=\"";
  for (const PixelPoint& point : points) text += number(point.x) + "," + number(point.y) + " ";
  if (!points.empty()) text.pop_back();
  return text + "\"";
}

std::string element(const Polyline& line) {
  return "<polyline fill=\"none\" stroke-linejoin=\"round\" stroke-linecap=\"round\"" +
         paint_attributes("stroke", line.color) + " stroke-width=\"" + number(line.width) + "\"" +
         point_list(line.points) + "/>";
}

std::string element(const Area& area) {
  return "<polygon" + paint_attributes("fill", area.color) + point_list(area.points) + "/>";
}

std::string element(const TextLabel& label) {
  const char* anchor = label.align == Align::left ? "start" : label.align == Align::centre ? "middle" : "end";
  return "<text x=\"" + number(label.at.x) + "\" y=\"" + number(label.at.y) + "\" font-size=\"" +
         number(label.size) + "\" text-anchor=\"" + anchor + "\"" + paint_attributes("fill", label.color) +
         ">" + escaped(label.text) + "</text>";
}

constexpr double png_scale = 2;  // For high-resolution screens and print.

}  // namespace

std::string png(const Bitmap& bitmap) {
  const auto row_bytes = 3 * static_cast<std::size_t>(bitmap.width);
  std::string rows;
  for (std::size_t begin = 0; begin < bitmap.bytes.size(); begin += row_bytes) {
    rows += '\0';  // each row begins with its filter: none
    rows.append(reinterpret_cast<const char*>(&bitmap.bytes[begin]), row_bytes);
  }
  const std::string header = big_endian(static_cast<std::uint32_t>(bitmap.width)) +
                             big_endian(static_cast<std::uint32_t>(bitmap.height)) +
                             std::string("\x08\x02\x00\x00\x00", 5);
  return "\x89PNG\r\n\x1a\n" + chunk("IHDR", header) + chunk("IDAT", packed(rows)) + chunk("IEND", "");
}

std::string svg(const Scene& scene) {
  const std::string width = std::to_string(scene.width);
  const std::string height = std::to_string(scene.height);
  std::string text = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" + width + "\" height=\"" + height +
                     "\" viewBox=\"0 0 " + width + " " + height + "\" font-family=\"sans-serif\">\n" +
                     "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n";
  for (const Shape& shape : scene.shapes)
    text += std::visit([](const auto& each) { return element(each); }, shape) + "\n";
  return text + "</svg>\n";
}

std::string picture_problem(const std::string& name) {
  if (name.ends_with(".svg") || name.ends_with(".png")) return {};
  return "\"" + name + "\": wanted a name that ends in .svg or .png";
}

std::string picture(const Scene& scene, const std::string& name) {
  return name.ends_with(".svg") ? svg(scene) : png(rasterise(scene, png_scale));
}

}  // namespace adarun::monitor::plot
