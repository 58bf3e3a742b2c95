// SPDX-License-Identifier: Apache-2.0
#include <span>

#include "ranktable/json/fields.h"
#include "ranktable/json/path.h"
#include "ranktable/model/quote.h"
#include "ranktable/rules/unknown_fields.h"
#include "ranktable/schemas/base/group_list.h"
#include "ranktable/schemas/lab/schema.h"

namespace adarun::ranktable {
namespace {

constexpr Rule has_one_device{"must have exactly one device", "EI0014", "write an instance for each device"};

struct LabDevice {
  int device_id = unreadable;
  std::string device_ip;
  std::vector<Extra> extras;
};

LabDevice read_device(JsonValue json, const Path& path, Findings& findings) {
  JsonFields fields(json, path, findings);
  LabDevice device;
  device.device_id = fields.number_text("device_id");
  device.device_ip = fields.optional_text("device_ip");
  device.extras = fields.extras();
  return device;
}

LabInstance read_instance(JsonValue json, const Path& path, Findings& findings) {
  JsonFields fields(json, path, findings);
  LabInstance instance;
  std::vector<LabDevice> devices = fields.list("devices", read_device);
  if (devices.size() != 1) {
    fields.report("devices", has_one_device, std::to_string(devices.size()) + " devices");
    devices.resize(1);
  }
  instance.device_id = devices.front().device_id;
  instance.device_ip = std::move(devices.front().device_ip);
  instance.device_extras = std::move(devices.front().extras);
  instance.rank_id = fields.number_text("rank_id");
  instance.server_id = fields.text("server_id");
  instance.extras = fields.extras();
  return instance;
}

LabGroup read_group(JsonValue json, const Path& path, Findings& findings) {
  JsonFields fields(json, path, findings);
  LabGroup group;
  group.group_name = fields.optional_text("group_name");
  group.instances = fields.list("instance_list", read_instance);
  group.wrong_device_num = fields.wrong_count_text("device_num", group.instances.size());
  group.wrong_server_num = fields.wrong_count_text("server_num", server_count(group));
  group.wrong_instance_count = fields.wrong_count_text("instance_count", group.instances.size());
  group.extras = fields.extras();
  return group;
}

}  // namespace

bool is_lab(JsonValue root) {
  return !root.member("version") && root.member("group_list") && root.member("deploy_mode");
}

LabTable parse_lab(JsonValue root, Findings& findings) {
  const Path path;
  JsonFields fields(root, path, findings);
  LabTable table;
  table.board_id = fields.text("board_id");
  table.chip_info = fields.text("chip_info");
  table.deploy_mode = fields.text("deploy_mode");
  table.groups = fields.list("group_list", read_group);
  table.wrong_group_count = fields.wrong_count_text("group_count", table.groups.size());
  table.para_plane_nic_location = fields.text("para_plane_nic_location");
  table.para_plane_nic_names = fields.texts("para_plane_nic_name");
  table.wrong_nic_num = fields.wrong_count_text("para_plane_nic_num", table.para_plane_nic_names.size());
  table.status = fields.text("status");
  table.extras = fields.extras();
  return table;
}

namespace {

void write_instance(JsonWriter& out, const LabInstance& instance) {
  out.object([&] {
    out.list("devices", std::span(&instance, 1), [](JsonWriter& device_out, const LabInstance& device) {
      device_out.object([&] {
        device_out.number_text("device_id", device.device_id);
        device_out.text("device_ip", device.device_ip);
        device_out.extras(device.device_extras);
      });
    });
    out.number_text("rank_id", instance.rank_id);
    out.text("server_id", instance.server_id);
    out.extras(instance.extras);
  });
}

void write_group(JsonWriter& out, const LabGroup& group) {
  out.object([&] {
    out.number_text("device_num", group.instances.size());
    out.number_text("server_num", server_count(group));
    out.text("group_name", group.group_name);
    out.number_text("instance_count", group.instances.size());
    out.list("instance_list", group.instances, write_instance);
    out.extras(group.extras);
  });
}

}  // namespace

void write_table(JsonWriter& out, const LabTable& table) {
  out.object([&] {
    out.text("board_id", table.board_id);
    out.text("chip_info", table.chip_info);
    out.text("deploy_mode", table.deploy_mode);
    out.number_text("group_count", table.groups.size());
    out.list("group_list", table.groups, write_group);
    out.text("para_plane_nic_location", table.para_plane_nic_location);
    out.texts("para_plane_nic_name", table.para_plane_nic_names);
    out.number_text("para_plane_nic_num", table.para_plane_nic_names.size());
    out.text("status", table.status);
    out.extras(table.extras);
  });
}

namespace {

constexpr KnownFields root_fields{{"board_id", "chip_info", "deploy_mode", "group_count", "group_list",
                                   "para_plane_nic_location", "para_plane_nic_name", "para_plane_nic_num",
                                   "status"}};
constexpr KnownFields group_fields{
    {"device_num", "server_num", "group_name", "instance_count", "instance_list"}};
constexpr KnownFields instance_fields{{"devices", "rank_id", "server_id"}, node_fields};
constexpr KnownFields device_fields{{"device_id", "device_ip"}, card_fields};

}  // namespace

void check_unknown_fields(const LabTable& table, Findings& findings) {
  UnknownFields unknown(findings);
  unknown.check(table.extras, root_fields, root_path);
  for (std::size_t i = 0; i < table.groups.size(); ++i) {
    const LabGroup& group = table.groups[i];
    unknown.check(group.extras, group_fields, [i] { return group_path(i); });
    for (std::size_t j = 0; j < group.instances.size(); ++j) {
      const auto path = [i, j] { return instance_path(i, j); };
      unknown.check(group.instances[j].extras, instance_fields, path);
      unknown.check(group.instances[j].device_extras, device_fields, path_of_item(path, "devices", 0));
    }
  }
}

namespace {

void add_instance(std::vector<Fact>& facts, const std::string& path, const LabInstance& instance) {
  add_facts(facts, Topic::own, item_path(path + ".devices", 0), instance.device_extras);
  add_facts(facts, Topic::own, path, instance.extras);
}

}  // namespace

std::vector<Fact> facts_of(const LabTable& table) {
  const LabTable usual;
  std::vector<Fact> facts;
  add_unless(facts, "$.board_id", table.board_id, usual.board_id);
  add_unless(facts, "$.chip_info", table.chip_info, usual.chip_info);
  add_unless(facts, "$.deploy_mode", table.deploy_mode, usual.deploy_mode);
  add_group_facts(facts, table.groups, add_instance);
  add_unless(facts, "$.para_plane_nic_location", table.para_plane_nic_location,
             usual.para_plane_nic_location);
  if (!table.para_plane_nic_names.empty() && table.para_plane_nic_names != default_nic_names(as_v1(table)))
    facts.push_back({Topic::own, "$.para_plane_nic_name",
                     in_quotes(table.para_plane_nic_names.front()) +
                         (table.para_plane_nic_names.size() > 1 ? ", ..." : "")});
  add_facts(facts, Topic::own, "$", table.extras);
  return facts;
}

}  // namespace adarun::ranktable
