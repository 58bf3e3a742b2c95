// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <initializer_list>
#include <string_view>

namespace adarun::ranktable {

// Each struct of a table lists its fields once, in the order in which they are written, and keeps all others
// in its `extras`:
//
//     void fields(auto& archive) {
//       archive.text("server_id", server_id);
//       archive.list("device", devices);
//     }
//
// Reading (json/field_reader.h), writing (json/writer.h), the check for unknown fields
// (rules/unknown_fields.h) and the lines about wrong counts (operations/convert.cpp) are archives: classes
// with the functions of PassedOver below, which each struct calls. `fields` is not const, because it is one
// function for all.

/// Whether a text, a list or a count may be absent from the file.
enum class Presence {
  required,
  optional,      ///< Absent is read as empty; written always. For a count: need not be in the file.
  unless_empty,  ///< Absent is read as empty, and empty is not written.
  version_1_2,   ///< Same; but one of the extras in version 1.0, which preserves what it does not know.
};

/// An archive that does nothing. Those that need only some of the fields derive from it.
struct PassedOver {
  /// A string; if optional and absent, nothing.
  void text(std::string_view, const auto&, Presence = Presence::required) {}

  /// An int as a string of decimal digits, without sign or leading zero: the form of numbers in 1.x, cloud
  /// and lab tables. If std::optional, it may be absent.
  void number_text(std::string_view, const auto&) {}

  /// An int as a JSON integer, at least 0: the form of numbers in 2.0. May be std::optional.
  void number(std::string_view, const auto&) {}

  /// A list of strings.
  void texts(std::string_view, const auto&) {}

  /// A list of structs.
  void list(std::string_view, const auto&, Presence = Presence::required) {}

  /// A list of exactly one struct.
  void sole_item(std::string_view, const auto&) {}

  /// The number of something in the table, as a string, or as a number if `wrong` holds a number: what the
  /// file has instead.
  void count(std::string_view, const auto& /*wrong*/, std::size_t, Presence = Presence::required) {}

  /// Lists fields by `some(archive)` that are written here, but read only behind the next list, or last:
  /// a count can be compared once its list has been read.
  void read_later(const auto& some) { some(*this); }

  /// Only version 1.2 has the fields of that Presence: they are not read from this table.
  void without_version_1_2() {}

  /// Fields that other tools are known to write here; they are among the extras.
  void of_other_tools(std::initializer_list<std::string_view>) {}
};

/// Lists the fields that tools write for a node, in any schema; HCCL reads some of them, only in 1.0 and 1.2.
void list_other_node_fields(auto& archive) {
  archive.of_other_tools({"server_ip", "host_ip", "container_ip", "pod_ip", "pod_name", "host_name",
                          "hardware_type", "dpu_ip", "numa_id"});
}

/// Same for a card.
void list_other_card_fields(auto& archive) {
  archive.of_other_tools({"device_logical_id", "device_port", "host_port", "device_vnic_port",
                          "backup_device_ip", "host_ip", "super_device_id", "backup_device_port", "ref_ip",
                          "net_position", "net_protocol", "dpu_ip", "numa_id", "tor_ip", "tor_port"});
}

}  // namespace adarun::ranktable
