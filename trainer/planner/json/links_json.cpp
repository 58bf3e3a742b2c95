// SPDX-License-Identifier: Apache-2.0
#include "trainer/planner/json/links_json.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "trainer/planner/json/fields.h"

namespace adarun::planner {
namespace {

using nlohmann::ordered_json;

constexpr const char* links_schema = "adarun-links-1";
constexpr std::size_t most_levels = 16;

}  // namespace

std::string write_links(const MeasuredLinks& links) {
  ordered_json json{{"schema", links_schema}, {"levels", ordered_json::array()}};
  for (const auto& [name, message_s, byte_s, shared] : links.levels) {
    json["levels"].push_back(
        {{"name", name}, {"message_s", message_s}, {"byte_s", byte_s}, {"shared", shared}});
  }
  if (links.operations_per_s) json["operations_per_s"] = *links.operations_per_s;
  return json.dump(2) + "\n";
}

MeasuredLinks read_links(const std::string& text, const std::string& name) {
  const nlohmann::json json = parse_file(text, name, links_schema);
  const JsonFields fields(json, name);
  MeasuredLinks links;
  for (const JsonFields& of : fields.objects("levels", most_levels)) {
    MeasuredLinks::OfLevel level{of.text("name"), of.number("message_s", 0, 10), of.number("byte_s", 0, 0.01),
                                 of.flag("shared")};
    for (const auto& other : links.levels) {
      if (other.name == level.name) of.fail("name: \"" + level.name + "\": there are two");
    }
    links.levels.push_back(std::move(level));
  }
  if (fields.has("operations_per_s")) links.operations_per_s = fields.number("operations_per_s", 1e3, 1e18);
  return links;
}

}  // namespace adarun::planner
