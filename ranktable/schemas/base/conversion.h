// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ranktable/model/table.h"

namespace adarun::ranktable {

/// The kind of a fact, which decides which schemas can hold it.
enum class FieldKind {
  super_pod,   ///< Which super pod a server belongs to: 1.2 and 2.0.
  v1_2_field,  ///< A field that only 1.2 has: super_device_id, other fields of a super pod.
  port,        ///< device_port, host_port: 1.0, 1.2 and 2.0.
  v1_field,    ///< A field that only 1.0 and 1.2 have or preserve.
  own,         ///< Something that only this schema has.
};

/// One piece of information in a table besides which device of which server, with which address, has which
/// rank. The facts of a table are in the order of its file. The defaults that `convert` writes are not facts:
/// converting back restores them.
struct SchemaField {
  FieldKind topic = FieldKind::own;
  std::string path;   ///< "$.super_pod_list[0].super_pod_id"
  std::string value;  ///< As JSON.
};

/// Adds a fact for each field.
void add_facts(std::vector<SchemaField>& facts, FieldKind topic, const std::string& path,
               const std::vector<Extra>& fields);

/// Adds the facts of the fields of a device that only 1.x and server groups have.
void add_device_facts(std::vector<SchemaField>& facts, const std::string& path,
                      const std::string& super_device_id, const std::vector<Extra>& fields);

/// Adds a fact of FieldKind::own at `path`, unless its value is what `convert` writes there.
void add_unless(std::vector<SchemaField>& facts, const std::string& path, const std::string& value,
                const std::string& usual);

/// Values that a conversion adds by itself, one line each.
using Additions = std::vector<std::string>;

/// Throws Error on a server_id that HCCL does not accept.
void require_server_ids(const Table& table);

/// Groups devices, added one by one, by server.
class TableBuilder {
 public:
  /// Adds a device to its server; a new server is added at the end. True if the server is new.
  bool add(const std::string& server_id, Device device);

  Table take() { return std::move(table_); }

 private:
  Table table_;
  std::unordered_map<std::string, std::size_t> places_;
};

/// Groups servers, added one by one, by super pod.
class PodBuilder {
 public:
  /// The pod of that id; a new one, with these fields, is added at the end.
  SuperPod& of(const std::string& super_pod_id, const std::vector<Extra>& fields = {});

  std::vector<SuperPod> take() { return std::move(pods_); }

 private:
  std::vector<SuperPod> pods_;
  std::unordered_map<std::string, std::size_t> places_;
};

/// Which devices stay in a subset of a table, and their new ranks: from 0, in the order of the old ones.
class KeptDevices {
 public:
  /// Keeps the devices of `ranks` that are on one of the servers and have one of the ids; an empty list means
  /// all.
  KeptDevices(const Table& ranks, const std::vector<std::string>& server_ids,
              const std::vector<int>& device_ids);

  bool has(const std::string& server_id) const;
  bool has(const std::string& server_id, int device_id) const;

  /// The new rank of `rank`, which must be kept.
  int new_rank(int rank) const { return new_ranks_.at(rank); }

 private:
  std::set<std::string> servers_;
  std::set<int> devices_;
  std::map<int, int> new_ranks_;
};

/// The port in that field of a 1.x device, device_port or host_port; nothing if its value is not valid.
std::optional<int> find_port(const Device& device, std::string_view name);

/// A field with that text. Throws Error on text that is not UTF-8.
Extra text_field(std::string_view name, const std::string& text);

}  // namespace adarun::ranktable
