// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "ranktable/model/table.h"

namespace adarun::ranktable {

/// The kind of a fact, which decides which schemas can hold it.
enum class Topic {
  super_pod,   ///< Which super pod a server belongs to: 1.2 and 2.0.
  v1_2_field,  ///< A field that only 1.2 has: super_device_id, other fields of a super pod.
  port,        ///< device_port, host_port: 1.0, 1.2 and 2.0.
  v1_field,    ///< A field that only 1.0 and 1.2 have or preserve.
  own,         ///< Something that only this schema has.
};

/// One piece of information in a table besides which device of which server, with which address, has which
/// rank. The facts of a table are in the order of its file. The defaults that `convert` writes are not facts:
/// converting back restores them.
struct Fact {
  Topic topic = Topic::own;
  std::string path;   ///< "$.super_pod_list[0].super_pod_id"
  std::string value;  ///< As JSON.
};

/// Adds a fact for each field.
void add_facts(std::vector<Fact>& facts, Topic topic, const std::string& path,
               const std::vector<Extra>& fields);

/// Adds a fact of Topic::own at `path`, unless its value is what `convert` writes there.
void add_unless(std::vector<Fact>& facts, const std::string& path, const std::string& value,
                const std::string& usual);

}  // namespace adarun::ranktable
