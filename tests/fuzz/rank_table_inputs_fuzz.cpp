// SPDX-License-Identifier: Apache-2.0
// What tables are made from: the first byte chooses the parser. Any bytes are a value or an Error.
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "ranktable/address.h"
#include "ranktable/device_range.h"
#include "ranktable/error.h"
#include "ranktable/hccn_conf.h"
#include "ranktable/hccn_tool.h"
#include "ranktable/merge_order.h"

namespace rt = adarun::ranktable;

namespace {

void range(std::string_view text) {
  const rt::DeviceRange parsed = rt::parse_device_range(text).range;
  if (parsed.count() < 1 || rt::parse_device_range(rt::to_string(parsed)).range != parsed) std::abort();
}

void visible_devices(std::string_view text) {
  if (rt::parse_visible_devices(text).empty()) std::abort();
}

void conf(std::string_view text) {
  const rt::HccnConf parsed = rt::parse_hccn_conf(text, "fuzz");
  for (const auto& [card, address] : parsed.ipv4)
    if (!rt::parse_address(rt::card_address(parsed, card))) std::abort();
}

void tool(std::string_view text) {
  const rt::ToolAnswer answer = rt::parse_hccn_tool(text, 0);
  if (answer.kind == rt::ToolAnswer::Kind::address && !rt::parse_address(answer.address)) std::abort();
}

void order(std::string_view text) {
  const std::string_view left = text.substr(0, text.find(' '));
  const std::string_view right = text.substr(left.size());
  if (rt::numeric_less(left, right) && rt::numeric_less(right, left)) std::abort();
}

constexpr std::array parsers{range, visible_devices, conf, tool, order};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  try {
    parsers[data[0] % parsers.size()]({reinterpret_cast<const char*>(data) + 1, size - 1});
  } catch (const rt::Error&) {
  }
  return 0;
}
