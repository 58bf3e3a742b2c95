// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/check/link_picture.h"

#include <algorithm>
#include <cstdio>
#include <string>

#include "base/clean_text.h"

namespace adarun::cli {
namespace {

namespace plot = monitor::plot;

constexpr double margin = 16;
constexpr double names_width = 96;
constexpr double title_height = 56;
constexpr double most_side = 52;    // Of a square, in pixels.
constexpr double whole_side = 832;  // Of all squares, at most.
constexpr double least_side_of_text = 26;
constexpr double least_side_of_name = 9;
constexpr std::size_t most_name = 14;

constexpr plot::Color black{33, 33, 33};
constexpr plot::Color white{255, 255, 255};
constexpr plot::Color none{236, 236, 236};
constexpr plot::Color failed{200, 40, 40};

// From nearly white for 0 to dark blue for 1.
plot::Color shade(double part) {
  const auto between = [part](double light, double dark) {
    return static_cast<std::uint8_t>(light + (dark - light) * part);
  };
  return {between(235, 8), between(243, 48), between(251, 107)};
}

std::string gigabits(double bytes_per_s) {
  char text[40];
  std::snprintf(text, sizeof text, bytes_per_s * 8 < 1e10 ? "%.2f" : "%.0f", bytes_per_s * 8 / 1e9);
  return text;
}

std::string shortened(const std::string& name) {
  const std::string clean = base::clean_line(name);
  return clean.size() <= most_name ? clean : ".." + clean.substr(clean.size() - most_name + 2);
}

class LinkPicture {
 public:
  explicit LinkPicture(const CheckedLinks& links)
      : links_(links),
        nodes_(static_cast<double>(links.names.size())),
        side_(std::min(most_side, whole_side / std::max(1.0, nodes_))) {
    for (const launcher::MeasuredLink& link : links.report.links)
      fastest_ = std::max(fastest_, link.costs.bytes_per_s);
  }

  plot::Scene draw() {
    const double whole = side_ * nodes_;
    scene_.width = static_cast<int>(std::max(480.0, names_width + whole + 2 * margin));
    scene_.height = static_cast<int>(title_height + whole + 2 * margin + 20);
    text({margin, margin + 12}, "Links: Gbit/s from the node of a line to that of a column", black, 14);
    text({margin, margin + 30}, "white: 0; dark blue: " + gigabits(fastest_) + "; red: not measured", black,
         12);
    for (std::size_t i = 0; i < links_.names.size(); ++i) {
      square(i, i, none);
      name(i);
    }
    for (const launcher::MeasuredLink& link : links_.report.links) draw(link);
    return std::move(scene_);
  }

 private:
  plot::PixelPoint corner(std::size_t from, std::size_t to) const {
    return {margin + names_width + side_ * static_cast<double>(to),
            title_height + margin + side_ * static_cast<double>(from)};
  }

  void square(std::size_t from, std::size_t to, const plot::Color& color) {
    const auto [x, y] = corner(from, to);
    const double end = side_ - (side_ > 4 ? 1 : 0);
    scene_.shapes.emplace_back(plot::Area{{{x, y}, {x + end, y}, {x + end, y + end}, {x, y + end}}, color});
  }

  void text(plot::PixelPoint at, const std::string& words, const plot::Color& color, double size,
            plot::Align align = plot::Align::left) {
    scene_.shapes.emplace_back(plot::TextLabel{at, words, color, size, align});
  }

  void name(std::size_t node) {
    if (side_ < least_side_of_name) return;
    const auto [x, y] = corner(node, node);
    const double size = std::min(12.0, side_);
    text({margin + names_width - 6, y + side_ / 2 + size / 3},
         std::to_string(node + 1) + ' ' + shortened(links_.names[node]), black, size, plot::Align::right);
    text({x + side_ / 2, title_height + margin + side_ * nodes_ + 14}, std::to_string(node + 1), black,
         std::min(12.0, side_ * 0.6), plot::Align::centre);
  }

  void draw(const launcher::MeasuredLink& link) {
    const double part = fastest_ > 0 ? link.costs.bytes_per_s / fastest_ : 0;
    square(link.from, link.to, link.reason.empty() ? shade(part) : failed);
    if (side_ < least_side_of_text || !link.reason.empty()) return;
    const auto [x, y] = corner(link.from, link.to);
    text({x + side_ / 2, y + side_ / 2 + 4}, gigabits(link.costs.bytes_per_s), part > 0.5 ? white : black, 11,
         plot::Align::centre);
  }

  const CheckedLinks& links_;
  double nodes_;
  double side_;
  double fastest_ = 0;
  plot::Scene scene_;
};

}  // namespace

plot::Scene link_picture(const CheckedLinks& links) {
  return LinkPicture(links).draw();
}

}  // namespace adarun::cli
