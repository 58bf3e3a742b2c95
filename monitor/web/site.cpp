// SPDX-License-Identifier: Apache-2.0
#include "monitor/web/site.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <stdexcept>

#include "monitor/error.h"
#include "monitor/web/assets.h"
#include "monitor/web/chart.h"
#include "monitor/web/log_page.h"
#include "monitor/web/prometheus.h"
#include "monitor/web/run_json.h"

namespace adarun::monitor::web {
namespace {

constexpr const char* json_type = "application/json";
constexpr const char* prometheus_type = "text/plain; version=0.0.4; charset=utf-8";
constexpr std::size_t most_find_bytes = 256;

/// A request that cannot be understood.
class BadRequest : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

std::string text_of(const Request& request, const std::string& name) {
  const auto found = request.parameters.find(name);
  return found == request.parameters.end() ? std::string() : found->second;
}

template <typename Number>
std::optional<Number> number_of(const Request& request, const std::string& name) {
  const std::string text = text_of(request, name);
  if (text.empty()) return std::nullopt;
  Number number{};
  const auto [end, wrong] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (wrong != std::errc() || end != text.data() + text.size() || std::isnan(static_cast<double>(number)))
    throw BadRequest("parameter " + name + ": no number that can be used");
  return number;
}

Axis axis_of(const Request& request) {
  return text_of(request, "axis") == "time" ? Axis::time : Axis::step;
}

Reply as_json(std::string body) {
  return {200, json_type, std::move(body)};
}

Reply refusal(int status, const std::string& words) {
  return {status, json_type, error_json(words)};
}

// The body that `body_of` makes of the run that is asked for.
template <typename BodyOf>
Reply of_run(Board& board, const Request& request, BodyOf&& body_of) {
  std::string body;
  const std::string why =
      board.look_at(text_of(request, "id"), [&](const WatchedRun& run) { body = body_of(run); });
  return why.empty() ? as_json(std::move(body)) : refusal(404, why);
}

}  // namespace

Reply Site::answer(const Request& request) const {
  try {
    if (request.path == "/api/jobs") return as_json(jobs_json(board_));
    if (request.path == "/api/run") return run(request);
    if (request.path == "/api/chart") return chart(request);
    if (request.path == "/api/at") return ranks_at(request);
    if (request.path == "/api/log") return log(request);
    if (request.path == "/metrics") return {200, prometheus_type, prometheus_text(board_)};
    if (const Asset* asset = asset_at(request.path))
      return {200, std::string(asset->type), std::string(asset->text)};
    return {404, "text/plain; charset=utf-8", "Nothing is here. The page is at /.\n"};
  } catch (const BadRequest& error) {
    return refusal(400, error.what());
  } catch (const Error& error) {
    return refusal(404, error.what());
  }
}

Reply Site::run(const Request& request) const {
  const std::uint64_t version = board_.version();
  const std::string id = text_of(request, "id");
  return of_run(board_, request, [&](const WatchedRun& run) { return run_json(id, run, version); });
}

Reply Site::chart(const Request& request) const {
  ChartWish wish;
  wish.axis = axis_of(request);
  wish.from = number_of<double>(request, "from").value_or(0);
  wish.to = number_of<double>(request, "to").value_or(std::numeric_limits<double>::infinity());
  wish.slices = number_of<std::size_t>(request, "slices").value_or(wish.slices);
  wish.rank = number_of<std::uint32_t>(request, "rank");
  wish.quantity = text_of(request, "quantity");
  return of_run(board_, request, [&](const WatchedRun& run) { return chart_json(run, wish); });
}

Reply Site::ranks_at(const Request& request) const {
  const double x = number_of<double>(request, "x").value_or(0);
  const Axis axis = axis_of(request);
  return of_run(board_, request, [&](const WatchedRun& run) { return ranks_at_json(run, axis, x); });
}

Reply Site::log(const Request& request) const {
  LogWish wish;
  wish.at = number_of<std::uint64_t>(request, "at").value_or(std::numeric_limits<std::uint64_t>::max());
  wish.lines = number_of<std::size_t>(request, "lines").value_or(wish.lines);
  if (text_of(request, "direction") == "after") wish.direction = LogWish::Direction::after;
  wish.find = text_of(request, "find").substr(0, most_find_bytes);
  const auto rank = number_of<std::uint32_t>(request, "rank");
  // Which file it is, is settled under the lock; reading it keeps nobody waiting.
  std::optional<std::filesystem::path> path;
  const std::string why = board_.look_at(text_of(request, "id"), [&](const WatchedRun& run) {
    for (const LogFile& log : run.logs())
      if (log.rank == rank) path = log.path;
  });
  if (!why.empty()) return refusal(404, why);
  if (!path) return refusal(404, "no log of this rank");
  if (path->extension() != ".gz") return as_json(log_json(read_page(*path, wish)));
  const std::shared_ptr<const UnpackedLog> unpacked = unpacked_.unpack(*path);
  return as_json(log_json(read_page(unpacked->path(), wish)));
}

}  // namespace adarun::monitor::web
