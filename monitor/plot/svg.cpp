// SPDX-License-Identifier: Apache-2.0
#include "monitor/plot/svg.h"

#include <array>
#include <cstddef>
#include <cstdio>
#include <string_view>

#include "base/clean_text.h"

namespace adarun::monitor::plot {
namespace {

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

}  // namespace

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

}  // namespace adarun::monitor::plot
