// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "ranktable/any_table.h"

namespace adarun::ranktable {

/// What a fact is about, as far as it decides which schemas have a place for it.
enum class Topic {
  super_pod,   ///< Which super pod a server belongs to: 1.2 and 2.0.
  v1_2_field,  ///< A field that only 1.2 has: super_device_id, what stands beside a super pod.
  port,        ///< device_port, host_port: 1.0, 1.2 and 2.0.
  v1_field,    ///< A field that only 1.0 and 1.2 have or pass on.
  own,         ///< Something that no other schema has.
};

/// One thing that a table says besides which device of which server, with which address, is which rank.
struct Fact {
  Topic topic = Topic::own;
  std::string path;   ///< "$.super_pod_list[0].super_pod_id"
  std::string value;  ///< As JSON.
};

/// All facts of a table in the order of its file. What `convert` writes of itself where a source is silent
/// (invented.h) is none: it comes back when the table is converted again.
std::vector<Fact> facts_of(const AnyTable& table);

/// The same of each schema.
std::vector<Fact> facts_of(const Table& table);
std::vector<Fact> facts_of(const CloudTable& table);
std::vector<Fact> facts_of(const LabTable& table);
std::vector<Fact> facts_of(const RankListTable& table);

/// "path[index]".
std::string at(const std::string& path, std::size_t index);

/// Adds a fact for each field.
void add_facts(std::vector<Fact>& facts, Topic topic, const std::string& path,
               const std::vector<Extra>& fields);

}  // namespace adarun::ranktable
