// SPDX-License-Identifier: Apache-2.0
#include "launcher/agent/mpi/pmix/info_list.h"

#include <cstdlib>
#include <cstring>

#include "launcher/agent/base/error.h"

namespace adarun::launcher::agent::pmix {

void InfoList::Free::operator()(char* bytes) const {
  std::free(bytes);  // NOLINT(cppcoreguidelines-owning-memory): libpmix's malloc
}

pmix_value_t& InfoList::add(const char* key, pmix_data_type_t type) {
  pmix_info_t& info = infos_.emplace_back();
  std::strncpy(info.key, key, PMIX_MAX_KEYLEN);
  info.value.type = type;
  return info.value;
}

void InfoList::add_text(const char* key, const std::string& text) {
  add(key, PMIX_STRING).data.string = texts_.emplace_back(text).data();
}

void InfoList::add_flag(const char* key) {
  add(key, PMIX_BOOL).data.flag = true;
}

void InfoList::add_uint16(const char* key, std::uint16_t value) {
  add(key, PMIX_UINT16).data.uint16 = value;
}

void InfoList::add_uint32(const char* key, std::uint32_t value) {
  add(key, PMIX_UINT32).data.uint32 = value;
}

void InfoList::add_rank(const char* key, pmix_rank_t rank) {
  add(key, PMIX_PROC_RANK).data.rank = rank;
}

void InfoList::add_regex(const Library& library, const char* key, const char* pattern) {
  pmix_info_t info{};
  const pmix_status_t status = library.info_load(&info, key, pattern, PMIX_REGEX);
  if (status != PMIX_SUCCESS) throw Error(std::string("PMIx: ") + key + ": " + library.error_string(status));
  patterns_.emplace_back(info.value.data.bo.bytes);
  infos_.push_back(info);
}

void InfoList::add_list(const char* key, InfoList list) {
  InfoList& kept = lists_.emplace_back(std::move(list));
  add(key, PMIX_DATA_ARRAY).data.darray =
      &arrays_.emplace_back(pmix_data_array_t{PMIX_INFO, kept.size(), kept.data()});
}

}  // namespace adarun::launcher::agent::pmix
