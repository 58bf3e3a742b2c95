// SPDX-License-Identifier: Apache-2.0
#include "ranktable/operations/device_range.h"

#include <algorithm>

#include "ranktable/model/decimal.h"
#include "ranktable/model/error.h"
#include "ranktable/model/quote.h"

namespace adarun::ranktable {
namespace {

[[noreturn]] void refuse_range(std::string_view text, const std::string& wanted) {
  throw Error("device_num " + in_quotes(text) + ": wanted " + wanted);
}

void add_id(std::vector<int>& ids, int id, const std::string& name) {
  if (std::find(ids.begin(), ids.end(), id) != ids.end())
    throw Error(name + ": device " + std::to_string(id) + " comes twice");
  if (ids.size() == max_server_devices)
    throw Error(name + ": more than " + std::to_string(max_server_devices) + " devices");
  ids.push_back(id);
}

}  // namespace

ParsedRange parse_device_range(std::string_view text) {
  const std::string form = "a half-open range like \"[0,8)\"";
  const std::string_view whole = trimmed(text);
  const std::size_t comma = whole.find(',');
  if (whole.size() < 5 || whole.front() != '[' || comma == std::string_view::npos) refuse_range(text, form);
  if (whole.back() != ')' && whole.back() != ']') refuse_range(text, form);
  const auto first = parse_decimal(trimmed(whole.substr(1, comma - 1)));
  const auto end = parse_decimal(trimmed(whole.substr(comma + 1, whole.size() - comma - 2)));
  if (!first || !end) refuse_range(text, form);
  if (*first >= *end) refuse_range(text, "at least one device");
  if (*end > max_server_devices) refuse_range(text, "ids below " + std::to_string(max_server_devices));
  ParsedRange parsed{{*first, *end}, std::nullopt};
  if (whole.back() == ']')
    parsed.warning = "device_num " + in_quotes(text) + " is taken as " + in_quotes(to_string(parsed.range)) +
                     ": the end of the range is not part of it";
  return parsed;
}

std::vector<int> parse_device_list(std::string_view text, const std::string& name) {
  std::vector<int> ids;
  for (std::size_t from = 0; from <= text.size();) {
    const std::size_t comma = std::min(text.find(',', from), text.size());
    const std::string_view entry = trimmed(text.substr(from, comma - from));
    const std::size_t dash = std::min(entry.find('-'), entry.size());
    const std::optional<int> first = parse_decimal(entry.substr(0, dash));
    const std::optional<int> last = dash == entry.size() ? first : parse_decimal(entry.substr(dash + 1));
    if (!first || !last || *last < *first)
      throw Error(name + ": " + in_quotes(entry) + ": wanted decimal ids like \"0,1,2,3\" or \"0-3\"");
    add_id(ids, *first, name);
    for (int id = *first; id < *last;) add_id(ids, ++id, name);
    from = comma + 1;
  }
  return ids;
}

std::vector<int> parse_visible_devices(std::string_view text) {
  const std::string name = "visible_devices";
  if (text.find('-') != std::string_view::npos)
    throw Error(name + ": " + in_quotes(text) + ": wanted decimal ids like \"0,1,2,3\"");
  return parse_device_list(text, name);
}

std::string to_string(const DeviceRange& range) {
  return "[" + std::to_string(range.first) + "," + std::to_string(range.end) + ")";
}

}  // namespace adarun::ranktable
