// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <list>
#include <optional>
#include <string>
#include <vector>

#include "launcher/agent/mpi/pmix/library.h"
#include "launcher/protocol/messages.h"

namespace adarun::launcher::agent::pmix {

/// A value of PMIx_Publish as bytes: its type (16 bits), then a text, bytes, or a number as it is in memory.
/// Nothing for types that point to anything else.
std::optional<std::string> bytes_of(const pmix_value_t& value);

/// What a lookup has found, in libpmix's format, which borrows it during a call. Values that are no result of
/// bytes_of() are left out: they come from other nodes.
class FoundValues {
 public:
  FoundValues(const std::string& nspace, const std::vector<protocol::PublishedName>& names);

  pmix_pdata_t* data() { return values_.data(); }
  std::size_t size() const { return values_.size(); }

 private:
  std::vector<pmix_pdata_t> values_;
  std::list<std::string> bytes_;
};

}  // namespace adarun::launcher::agent::pmix
