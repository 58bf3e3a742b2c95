// SPDX-License-Identifier: Apache-2.0
#include "ranktable/convert/recounted.h"

#include "ranktable/convert/fact.h"

namespace adarun::ranktable {
namespace {

class Lines {
 public:
  void add(const std::string& path, const std::optional<std::string>& wrong, std::size_t count) {
    if (wrong)
      lines_.push_back(path + ": " + std::to_string(count) + ", counted anew: it said \"" + *wrong + "\"");
  }
  std::vector<std::string> take() { return std::move(lines_); }

 private:
  std::vector<std::string> lines_;
};

void add_counts(Lines& lines, const Table& table) {
  lines.add("$.server_count", table.wrong_server_count, table.servers.size());
}

void add_counts(Lines& lines, const CloudTable& table) {
  lines.add("$.group_count", table.wrong_group_count, table.groups.size());
  for (std::size_t i = 0; i < table.groups.size(); ++i) {
    const CloudGroup& group = table.groups[i];
    const std::string path = at("$.group_list", i);
    lines.add(path + ".instance_count", group.wrong_instance_count, group.instances.size());
    lines.add(path + ".device_count", group.wrong_device_count, device_count(group));
  }
}

void add_counts(Lines& lines, const LabTable& table) {
  lines.add("$.group_count", table.wrong_group_count, table.groups.size());
  for (std::size_t i = 0; i < table.groups.size(); ++i) {
    const LabGroup& group = table.groups[i];
    const std::string path = at("$.group_list", i);
    lines.add(path + ".device_num", group.wrong_device_num, group.instances.size());
    lines.add(path + ".server_num", group.wrong_server_num, server_count(group));
    lines.add(path + ".instance_count", group.wrong_instance_count, group.instances.size());
  }
  lines.add("$.para_plane_nic_num", table.wrong_nic_num, table.para_plane_nic_names.size());
}

void add_counts(Lines& lines, const RankListTable& table) {
  if (table.wrong_rank_count)
    lines.add("$.rank_count", std::to_string(*table.wrong_rank_count), table.ranks.size());
}

}  // namespace

std::vector<std::string> recounted(const AnyTable& table) {
  Lines lines;
  std::visit([&lines](const auto& each) { add_counts(lines, each); }, table);
  return lines.take();
}

}  // namespace adarun::ranktable
