// SPDX-License-Identifier: Apache-2.0
#include "monitor/web/site.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <stdexcept>

#include "monitor/base/error.h"
#include "monitor/web/run_report.h"
#include "monitor_page.h"

namespace adarun::monitor::web {
namespace {

constexpr const char* json_type = "application/json";
constexpr const char* prometheus_type = "text/plain; version=0.0.4; charset=utf-8";
constexpr std::size_t most_find_bytes = 256;

/// A file of the page, compiled into this program.
struct Asset {
  std::string_view path;  ///< As requested: "/" is the page itself.
  std::string_view type;
  std::string_view text;
};

constexpr std::string_view script_type = "text/javascript; charset=utf-8";

constexpr std::array assets{
    Asset{"/", "text/html; charset=utf-8", page::index_html},
    Asset{"/style.css", "text/css; charset=utf-8", page::style_css},
    Asset{"/app.js", script_type, page::app_js},
    Asset{"/chart.js", script_type, page::chart_js},
    Asset{"/log.js", script_type, page::log_js},
    Asset{"/parts.js", script_type, page::parts_js},
    Asset{"/api.js", script_type, page::api_js},
};

// The file with this path; null if there is none.
const Asset* asset_at(std::string_view path) {
  const auto* found =
      std::find_if(assets.begin(), assets.end(), [&](const Asset& asset) { return asset.path == path; });
  return found == assets.end() ? nullptr : found;
}

/// A malformed request.
class BadRequest : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

std::string text_value(const PageRequest& request, const std::string& name) {
  const auto found = request.parameters.find(name);
  return found == request.parameters.end() ? std::string() : found->second;
}

template <typename Number>
std::optional<Number> number_of(const PageRequest& request, const std::string& name) {
  const std::string text = text_value(request, name);
  if (text.empty()) return std::nullopt;
  Number number{};
  const auto [end, wrong] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (wrong != std::errc() || end != text.data() + text.size() || std::isnan(static_cast<double>(number)))
    throw BadRequest("parameter " + name + ": no number that can be used");
  return number;
}

ChartAxis axis_of(const PageRequest& request) {
  return text_value(request, "axis") == "time" ? ChartAxis::time : ChartAxis::step;
}

PageReply as_json(std::string body) {
  return {200, json_type, std::move(body)};
}

PageReply refusal(int status, const std::string& words) {
  return {status, json_type, error_json(words)};
}

// Calls `body_of` with the requested run and returns its result as JSON.
template <typename BodyOf>
PageReply of_run(RunRegistry& registry, const PageRequest& request, BodyOf&& body_of) {
  std::string body;
  const std::string why =
      registry.visit(text_value(request, "id"), [&](const WatchedRun& run) { body = body_of(run); });
  return why.empty() ? as_json(std::move(body)) : refusal(404, why);
}

}  // namespace

PageReply Site::answer(const PageRequest& request) const {
  try {
    if (request.path == "/api/jobs") return as_json(jobs_json(registry_));
    if (request.path == "/api/run") return run(request);
    if (request.path == "/api/chart") return chart(request);
    if (request.path == "/api/at") return ranks_at(request);
    if (request.path == "/api/log") return log(request);
    if (request.path == "/metrics") return {200, prometheus_type, prometheus_text(registry_)};
    if (const Asset* asset = asset_at(request.path))
      return {200, std::string(asset->type), std::string(asset->text)};
    return {404, "text/plain; charset=utf-8", "Nothing is here. The page is at /.\n"};
  } catch (const BadRequest& error) {
    return refusal(400, error.what());
  } catch (const Error& error) {
    return refusal(404, error.what());
  }
}

PageReply Site::run(const PageRequest& request) const {
  const std::uint64_t version = registry_.version();
  const std::string id = text_value(request, "id");
  return of_run(registry_, request, [&](const WatchedRun& run) { return run_json(id, run, version); });
}

PageReply Site::chart(const PageRequest& request) const {
  ChartQuery query;
  query.axis = axis_of(request);
  query.from = number_of<double>(request, "from").value_or(0);
  query.to = number_of<double>(request, "to").value_or(std::numeric_limits<double>::infinity());
  query.slices = number_of<std::size_t>(request, "slices").value_or(query.slices);
  query.rank = number_of<std::uint32_t>(request, "rank");
  query.quantity = text_value(request, "quantity");
  return of_run(registry_, request, [&](const WatchedRun& run) { return chart_json(run, query); });
}

PageReply Site::ranks_at(const PageRequest& request) const {
  const double x = number_of<double>(request, "x").value_or(0);
  const ChartAxis axis = axis_of(request);
  return of_run(registry_, request, [&](const WatchedRun& run) { return ranks_at_json(run, axis, x); });
}

PageReply Site::log(const PageRequest& request) const {
  LogQuery query;
  query.at = number_of<std::uint64_t>(request, "at").value_or(std::numeric_limits<std::uint64_t>::max());
  query.lines = number_of<std::size_t>(request, "lines").value_or(query.lines);
  if (text_value(request, "direction") == "after") query.direction = LogQuery::Direction::after;
  query.find = text_value(request, "find").substr(0, most_find_bytes);
  const auto rank = number_of<std::uint32_t>(request, "rank");
  // The lock is held only to find the path; the file is read without it.
  std::optional<std::filesystem::path> path;
  const std::string why = registry_.visit(text_value(request, "id"), [&](const WatchedRun& run) {
    for (const LogFile& log : run.logs())
      if (log.rank == rank) path = log.path;
  });
  if (!why.empty()) return refusal(404, why);
  if (!path) return refusal(404, "no log of this rank");
  if (path->extension() != ".gz") return as_json(log_json(read_page(*path, query, Links::refused)));
  const std::shared_ptr<const UnpackedLog> unpacked = unpacked_.unpack(*path);
  return as_json(log_json(read_page(unpacked->path(), query)));
}

}  // namespace adarun::monitor::web
