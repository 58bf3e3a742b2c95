// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "launcher/hosts/host.h"

namespace adarun::launcher {

/// The most devices of a host in a list or a hostfile.
inline constexpr int max_devices_per_host = 4096;

/// A whole number from `low` to `high`. Throws Error, whose message begins with `where`.
int number_in(std::string_view text, int low, int high, const std::string& where);

/// `text` at each `separator`; one empty part for an empty text.
std::vector<std::string_view> split(std::string_view text, char separator);

/// Devices one by one, as a hostfile has them: "0,1,4". Throws Error.
std::vector<int> device_list(std::string_view text, const std::string& where);

/// "auto" (any), "npu", "gpu", "cpu": devices that are the node's to say.
std::optional<DeviceKind> device_kind(std::string_view text);
const char* name_of(DeviceKind kind);

/// Gives a host the devices behind its name: "8", "4-7", or a word of `device_kind`. Throws Error.
void count_devices(Host& host, std::string_view text, const std::string& where);

/// Throws Error, whose message begins with `where`, if the number of devices behind `name` may be meant for
/// the port of SSH: it is one that sshd often has, and hardly a node's number of devices.
void refuse_port(std::string_view name, std::string_view count, const std::string& where);

/// How two machines of one name or address are told apart by SSH, for the end of a message; empty where their
/// ports are the same.
std::string if_ports_differ(int first, int second);

/// A number of devices as it is written behind a host in a list: "8", or "0-21" where 22 would be refused as
/// a port.
std::string written_count(std::size_t count);

/// Devices 0..count-1.
std::vector<int> first_devices(int count);

/// "node[1-2]:8" -> "node[1-2]" and "8", or "" without a count. A colon inside brackets belongs to an IPv6
/// address, as do several without brackets.
std::pair<std::string_view, std::string_view> split_count(std::string_view item);

/// "me@node1" -> "me" and "node1", and "" without a user. Throws Error if one of them is empty.
std::pair<std::string, std::string> split_user(std::string_view name, const std::string& where);

/// Whether one of them is the other's name without a domain: "node1" and "node1.cluster".
bool are_one_name(std::string_view left, std::string_view right);

/// Hosts of a list or a hostfile as they are read. Refuses `n[1-65536]:4096` before all of it is in memory.
class HostCollector {
 public:
  /// Adds each of the hosts that the name of `host` expands to. Throws Error, whose message begins with
  /// `where`, also for a name that other programs would take for something else.
  void add(const Host& host, const std::string& where);

  /// Adds hosts of another collector.
  void add(const std::vector<Host>& hosts, const std::string& where);

  /// Counts devices that hosts have besides. Throws Error beyond 2^20 in all.
  void count(std::size_t more, const std::string& where);

  std::vector<Host>& all() { return all_; }

 private:
  std::vector<Host> all_;
  std::size_t devices_ = 0;
};

}  // namespace adarun::launcher
