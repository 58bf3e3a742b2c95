// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string_view>
#include <tuple>
#include <vector>

#include "ranktable/convert/conversions.h"
#include "ranktable/convert/table_builder.h"

namespace adarun::ranktable {
namespace {

struct Place {
  std::string_view server_id;
  const CloudDevice* device = nullptr;
};

std::vector<Place> places_in_order(const CloudTable& table) {
  std::vector<Place> places;
  for (const CloudGroup& group : table.groups)
    for (const CloudInstance& instance : group.instances)
      for (const CloudDevice& device : instance.devices) places.push_back({instance.server_id, &device});
  std::stable_sort(places.begin(), places.end(), [](const Place& left, const Place& right) {
    return std::tie(left.server_id, left.device->device_id) <
           std::tie(right.server_id, right.device->device_id);
  });
  return places;
}

}  // namespace

Table from_cloud(const CloudTable& table) {
  TableBuilder builder;
  int rank = 0;
  for (const Place& place : places_in_order(table))
    builder.add(std::string(place.server_id), {place.device->device_id, place.device->device_ip, rank++});
  Table result = builder.take();
  result.status = table.status;
  return result;
}

}  // namespace adarun::ranktable
