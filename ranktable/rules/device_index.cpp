// SPDX-License-Identifier: Apache-2.0
#include "ranktable/rules/device_index.h"

#include <algorithm>

#include "ranktable/model/finding.h"

namespace adarun::ranktable {
namespace {

// The path of the item at that depth of the lists that is, or contains, the entry; depth 0 is the root.
std::string item_at(const SchemaForm& form, const DeviceEntry& entry, std::size_t depth) {
  std::string path = "$";
  for (std::size_t i = 0; i < depth; ++i)
    path = item_path(path + "." + std::string(form.lists[i]), entry.place[i]);
  return path;
}

}  // namespace

std::string DeviceIndex::list_path(const DeviceEntry& entry) const {
  const std::size_t holder = form->depth() - 1;
  return item_at(*form, entry, holder) + "." + std::string(form->lists[holder]);
}

std::string DeviceIndex::path(const DeviceEntry& entry, std::string_view field) const {
  std::string text = item_at(*form, entry, form->depth());
  if (!field.empty()) text.append(".").append(field);
  return text;
}

std::string DeviceIndex::rank_path(const DeviceEntry& entry) const {
  return item_at(*form, entry, form->rank_depth) + ".rank_id";
}

std::string DeviceIndex::root_path() const {
  return "$." + std::string(form->lists[0]);
}

std::string DeviceIndex::shown(int id) const {
  return form->has_text_ids ? '"' + std::to_string(id) + '"' : std::to_string(id);
}

bool is_plain(const DeviceIndex& index) {
  return index.form->has_servers && !index.entries.empty() &&
         std::all_of(index.entries.begin(), index.entries.end(),
                     [](const DeviceEntry& entry) { return entry.device_ip.empty(); });
}

}  // namespace adarun::ranktable
