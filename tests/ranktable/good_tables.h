// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "ranktable/model/finding.h"
#include "ranktable/schemas/any_table.h"

namespace adarun::ranktable {

/// Each finding without its advice: "error $.status: ...".
inline std::vector<std::string> lines(const Findings& findings) {
  std::vector<std::string> all;
  for (const Finding& finding : findings) all.push_back(name(finding.severity) + " " + describe(finding));
  return all;
}

/// "192.168.1.3" for device 2 of server 1.
inline std::string card_address(int server, int device) {
  return "192.168." + std::to_string(server) + "." + std::to_string(device + 1);
}

/// `servers` servers of `devices` cards each, like the table of a whole cluster.
inline Table cluster(int servers, int devices) {
  Table table;
  for (int i = 0; i < servers; ++i) {
    Server server{"10.0.0." + std::to_string(i + 1), "reserve", {}};
    for (int j = 0; j < devices; ++j) server.devices.push_back({j, card_address(i, j), i * devices + j});
    table.servers.push_back(server);
  }
  return table;
}

/// The same without card addresses.
inline Table plain_cluster(int servers, int devices) {
  Table table = cluster(servers, devices);
  for (Server& server : table.servers)
    for (Device& device : server.devices) device.device_ip.clear();
  return table;
}

/// `pods` super pods of `servers` servers each.
inline Table super_pods(int pods, int servers, int devices) {
  Table table = cluster(pods * servers, devices);
  table.version = "1.2";
  for (Server& server : table.servers)
    for (Device& device : server.devices) device.super_device_id = std::to_string(100 + device.rank_id);
  for (int i = 0; i < pods; ++i) {
    SuperPod pod{"pod" + std::to_string(i), {}};
    for (int j = 0; j < servers; ++j)
      pod.servers.push_back({table.servers[static_cast<std::size_t>(i * servers + j)].server_id});
    table.super_pods.push_back(pod);
  }
  return table;
}

/// A pod on each of `servers` servers, in HCCL's order for fewer than ten.
inline CloudTable cloud(int servers, int devices) {
  CloudTable table;
  table.groups = {{"job", {}}};
  for (int i = 0; i < servers; ++i) {
    CloudInstance instance{"pod" + std::to_string(i), "10.0.0." + std::to_string(i + 1), {}};
    for (int j = 0; j < devices; ++j) instance.devices.push_back({j, card_address(i, j)});
    table.groups[0].instances.push_back(instance);
  }
  return table;
}

inline LabTable lab(int servers, int devices) {
  LabTable table;
  table.groups = {{"job", {}}};
  for (int i = 0; i < servers; ++i)
    for (int j = 0; j < devices; ++j)
      table.groups[0].instances.push_back(
          {{j, card_address(i, j)}, i * devices + j, "10.0.0." + std::to_string(i + 1)});
  table.para_plane_nic_names = {"eth0", "eth1"};
  return table;
}

/// Each rank on layer 0 by EID and on layer 1 by IPv4.
inline RankListTable rank_list(int servers, int devices) {
  RankListTable table;
  for (int i = 0; i < servers; ++i)
    for (int j = 0; j < devices; ++j) {
      RankEntry rank;
      rank.rank_id = i * devices + j;
      rank.local_id = rank.device_id = j;
      rank.layers.resize(2);
      rank.layers[0].net_instance_id = "server" + std::to_string(i);
      rank.layers[0].addresses = {{"EID", std::string(32, 'a'), {"0/1", "0/2"}}};
      rank.layers[1].net_layer = 1;
      rank.layers[1].net_instance_id = "pod";
      rank.layers[1].addresses = {{"IPV4", card_address(i, j), {"1/1"}}};
      table.ranks.push_back(rank);
    }
  return table;
}

/// A router, and two groups on half of the servers each.
inline ServerGroupTable server_group(int servers, int devices) {
  ServerGroupTable table;
  table.groups.resize(3);
  for (std::size_t i = 0; i < 3; ++i) table.groups[i].group_id = std::to_string(i);
  table.groups[0].servers = {GroupServer{"", "10.0.0.99"}};
  for (int i = 0; i < servers; ++i) {
    const std::string ip = "10.0.0." + std::to_string(i + 1);
    ServerGroup& group = table.groups[i < servers / 2 ? 1 : 2];
    const int first = static_cast<int>(device_count(group));
    GroupServer server{ip, ip, ip};
    for (int j = 0; j < devices; ++j) server.devices.push_back({j, card_address(i, j), first + j, j});
    group.servers.push_back(server);
  }
  return table;
}

}  // namespace adarun::ranktable
