// SPDX-License-Identifier: Apache-2.0
#include "monitor/web/assets.h"

#include <algorithm>
#include <array>

#include "monitor_page.h"

namespace adarun::monitor::web {
namespace {

constexpr std::string_view script = "text/javascript; charset=utf-8";

constexpr std::array assets{
    Asset{"/", "text/html; charset=utf-8", page::index_html},
    Asset{"/style.css", "text/css; charset=utf-8", page::style_css},
    Asset{"/app.js", script, page::app_js},
    Asset{"/chart.js", script, page::chart_js},
    Asset{"/log.js", script, page::log_js},
    Asset{"/parts.js", script, page::parts_js},
    Asset{"/api.js", script, page::api_js},
};

}  // namespace

const Asset* asset_at(std::string_view path) {
  const auto* found =
      std::find_if(assets.begin(), assets.end(), [&](const Asset& asset) { return asset.path == path; });
  return found == assets.end() ? nullptr : found;
}

}  // namespace adarun::monitor::web
