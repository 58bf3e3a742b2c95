// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "ranktable/model/table.h"

namespace adarun::ranktable {

/// What a fact is about, as far as it decides which schemas have a place for it.
enum class Topic {
  super_pod,   ///< Which super pod a server belongs to: 1.2 and 2.0.
  v1_2_field,  ///< A field that only 1.2 has: super_device_id, what stands beside a super pod.
  port,        ///< device_port, host_port: 1.0, 1.2 and 2.0.
  v1_field,    ///< A field that only 1.0 and 1.2 have or pass on.
  own,         ///< Something that no other schema has.
};

/// One thing that a table says besides which device of which server, with which address, is which rank. The
/// facts of a table come in the order of its file. What `convert` writes of itself where a source is silent
/// is none: it comes back when the table is converted again.
struct Fact {
  Topic topic = Topic::own;
  std::string path;   ///< "$.super_pod_list[0].super_pod_id"
  std::string value;  ///< As JSON.
};

/// Adds a fact for each field.
void add_facts(std::vector<Fact>& facts, Topic topic, const std::string& path,
               const std::vector<Extra>& fields);

/// Adds one of the schema's own at `path`, unless it is what `convert` writes there.
void add_unless(std::vector<Fact>& facts, const std::string& path, const std::string& value,
                const std::string& usual);

}  // namespace adarun::ranktable
