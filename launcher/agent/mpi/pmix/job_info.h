// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <string>
#include <vector>

#include "launcher/agent/mpi/pmix/library.h"
#include "launcher/protocol/messages.h"

namespace adarun::launcher::agent::pmix {

/// A list of keys and values in libpmix's format. libpmix silently ignores a value whose type is not the
/// key's, so the names here include the types. Owns everything it points to; libpmix borrows it during a
/// call.
class InfoList {
 public:
  InfoList() = default;
  InfoList(InfoList&&) = default;
  InfoList& operator=(InfoList&&) = default;

  void add_text(const char* key, const std::string& text);
  void add_flag(const char* key);
  void add_uint16(const char* key, std::uint16_t value);
  void add_uint32(const char* key, std::uint32_t value);
  void add_rank(const char* key, pmix_rank_t rank);

  /// A map of nodes or of ranks. Throws agent::Error if libpmix rejects the text.
  void add_map(const Library& library, const char* key, const std::string& text);

  /// A list as one value.
  void add_list(const char* key, InfoList list);

  pmix_info_t* data() { return infos_.data(); }
  std::size_t size() const { return infos_.size(); }

 private:
  struct Free {
    void operator()(char* bytes) const;
  };

  pmix_value_t& add(const char* key, pmix_data_type_t type);

  std::vector<pmix_info_t> infos_;
  std::list<std::string> texts_;
  std::list<InfoList> lists_;
  std::list<pmix_data_array_t> arrays_;
  std::vector<std::unique_ptr<char, Free>> patterns_;
};

/// The job data that ranks of this node can query: its nodes, the placement of ranks, its sizes. `folder`:
/// where the ranks may keep files. Throws agent::Error if libpmix rejects the maps.
InfoList describe_job(const Library& library, const protocol::Start& start, const std::string& folder);

/// The "NAME=VALUE" variables that Open MPI reads, besides those of PMIx, for the rank with this
/// `local_rank`.
std::vector<std::string> rank_environment(const protocol::Start& start, std::uint32_t rank,
                                          std::size_t local_rank);

}  // namespace adarun::launcher::agent::pmix
