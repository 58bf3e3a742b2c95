// SPDX-License-Identifier: Apache-2.0
#include "ranktable/json/fields.h"
#include "ranktable/json/path.h"
#include "ranktable/rules/unknown_fields.h"
#include "ranktable/schemas/base/group_list.h"
#include "ranktable/schemas/cloud/schema.h"

namespace adarun::ranktable {
namespace {

CloudDevice read_device(JsonValue json, const Path& path, Findings& findings) {
  JsonFields fields(json, path, findings);
  CloudDevice device;
  device.device_id = fields.number_text("device_id");
  device.device_ip = fields.optional_text("device_ip");
  device.extras = fields.extras();
  return device;
}

CloudInstance read_instance(JsonValue json, const Path& path, Findings& findings) {
  JsonFields fields(json, path, findings);
  CloudInstance instance;
  instance.pod_name = fields.text("pod_name");
  instance.server_id = fields.text("server_id");
  instance.devices = fields.list("devices", read_device);
  instance.extras = fields.extras();
  return instance;
}

CloudGroup read_group(JsonValue json, const Path& path, Findings& findings) {
  JsonFields fields(json, path, findings);
  CloudGroup group;
  group.group_name = fields.optional_text("group_name");
  group.instances = fields.list("instance_list", read_instance);
  group.wrong_instance_count = fields.wrong_count_text("instance_count", group.instances.size());
  group.wrong_device_count = fields.wrong_count_text("device_count", device_count(group));
  group.extras = fields.extras();
  return group;
}

}  // namespace

bool is_cloud(JsonValue root) {
  return !root.member("version") && root.member("group_list") && !root.member("deploy_mode");
}

CloudTable parse_cloud(JsonValue root, Findings& findings) {
  const Path path;
  JsonFields fields(root, path, findings);
  CloudTable table;
  table.status = fields.text("status");
  table.groups = fields.list("group_list", read_group);
  table.wrong_group_count = fields.wrong_count_text("group_count", table.groups.size());
  table.extras = fields.extras();
  return table;
}

namespace {

void write_device(JsonWriter& out, const CloudDevice& device) {
  out.object([&] {
    out.number_text("device_id", device.device_id);
    out.text("device_ip", device.device_ip);
    out.extras(device.extras);
  });
}

void write_instance(JsonWriter& out, const CloudInstance& instance) {
  out.object([&] {
    out.text("pod_name", instance.pod_name);
    out.text("server_id", instance.server_id);
    out.list("devices", instance.devices, write_device);
    out.extras(instance.extras);
  });
}

void write_group(JsonWriter& out, const CloudGroup& group) {
  out.object([&] {
    out.text("group_name", group.group_name);
    out.number_text("instance_count", group.instances.size());
    out.number_text("device_count", device_count(group));
    out.list("instance_list", group.instances, write_instance);
    out.extras(group.extras);
  });
}

}  // namespace

void write_table(JsonWriter& out, const CloudTable& table) {
  out.object([&] {
    out.text("status", table.status);
    out.number_text("group_count", table.groups.size());
    out.list("group_list", table.groups, write_group);
    out.extras(table.extras);
  });
}

namespace {

constexpr KnownFields root_fields{{"status", "group_count", "group_list"}, {"board_id", "chip_info"}};
constexpr KnownFields group_fields{{"group_name", "instance_count", "device_count", "instance_list"},
                                   {"device_num", "server_num"}};
constexpr KnownFields instance_fields{{"pod_name", "server_id", "devices"}, node_fields};
constexpr KnownFields device_fields{{"device_id", "device_ip"}, card_fields};

}  // namespace

void check_unknown_fields(const CloudTable& table, Findings& findings) {
  UnknownFields unknown(findings);
  unknown.check(table.extras, root_fields, root_path);
  for (std::size_t i = 0; i < table.groups.size(); ++i) {
    const CloudGroup& group = table.groups[i];
    unknown.check(group.extras, group_fields, [i] { return group_path(i); });
    for (std::size_t j = 0; j < group.instances.size(); ++j) {
      const CloudInstance& instance = group.instances[j];
      const auto path = [i, j] { return instance_path(i, j); };
      unknown.check(instance.extras, instance_fields, path);
      for (std::size_t k = 0; k < instance.devices.size(); ++k)
        unknown.check(instance.devices[k].extras, device_fields, path_of_item(path, "devices", k));
    }
  }
}

namespace {

void add_instance(std::vector<Fact>& facts, const std::string& path, const CloudInstance& instance) {
  add_unless(facts, path + ".pod_name", instance.pod_name, instance.server_id);
  for (std::size_t i = 0; i < instance.devices.size(); ++i)
    add_facts(facts, Topic::own, item_path(path + ".devices", i), instance.devices[i].extras);
  add_facts(facts, Topic::own, path, instance.extras);
}

}  // namespace

std::vector<Fact> facts_of(const CloudTable& table) {
  std::vector<Fact> facts;
  add_group_facts(facts, table.groups, add_instance);
  add_facts(facts, Topic::own, "$", table.extras);
  return facts;
}

}  // namespace adarun::ranktable
