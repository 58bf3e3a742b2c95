// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace adarun::monitor::web {

/// Appends a number as JSON has it, in at most `digits` digits: null for nan and infinities.
void add_number(std::string& json, double value, int digits = 6);

/// `add_number` of each value that `number_of` gives of the items, as an array.
template <typename Items, typename NumberOf>
std::string number_array(const Items& items, NumberOf&& number_of, int digits = 6) {
  std::string json = "[";
  for (const auto& item : items) {
    if (json.size() > 1) json += ',';
    add_number(json, number_of(item), digits);
  }
  return json + "]";
}

}  // namespace adarun::monitor::web
