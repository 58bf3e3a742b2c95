// SPDX-License-Identifier: Apache-2.0
#include "launcher/supervisor/resize_request.h"

#include <array>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/parse_json.h"

namespace adarun::launcher {
namespace {

using nlohmann::ordered_json;

constexpr std::string_view verb = "resize ";

constexpr std::array kinds{
    std::pair(ResizeState::Kind::none, "none"),
    std::pair(ResizeState::Kind::refused, "refused"),
    std::pair(ResizeState::Kind::pending, "pending"),
    std::pair(ResizeState::Kind::done, "done"),
};

std::string one_line(const ordered_json& json) {
  return json.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

// nullopt unless the text is an object whose members `read` finds as it wants them.
template <typename T, typename Read>
std::optional<T> parsed(const std::string& text, Read read) {
  try {
    return read(base::parse_json<ordered_json>(text));
  } catch (const ordered_json::exception&) {
    return std::nullopt;
  }
}

}  // namespace

std::string to_line(const ResizeRequest& request) {
  return std::string(verb) +
         one_line({{"add", request.add}, {"remove", request.remove}, {"now", request.now}});
}

std::optional<ResizeRequest> resize_request(const std::string& line) {
  if (line.rfind(verb, 0) != 0) return std::nullopt;
  return parsed<ResizeRequest>(line.substr(verb.size()), [](const ordered_json& json) {
    return ResizeRequest{json.at("add"), json.at("remove"), json.at("now")};
  });
}

std::string to_line(const ResizeState& state) {
  for (const auto& [kind, name] : kinds)
    if (kind == state.kind) return one_line({{"resize", name}, {"text", state.text}});
  return "{}";
}

std::optional<ResizeState> resize_state(const std::string& line) {
  return parsed<ResizeState>(line, [](const ordered_json& json) -> std::optional<ResizeState> {
    const std::string name = json.at("resize");
    for (const auto& [kind, its_name] : kinds)
      if (name == its_name) return ResizeState{kind, json.at("text")};
    return std::nullopt;
  });
}

}  // namespace adarun::launcher
