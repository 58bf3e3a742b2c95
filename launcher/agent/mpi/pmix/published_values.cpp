// SPDX-License-Identifier: Apache-2.0
#include "launcher/agent/mpi/pmix/published_values.h"

#include <cstring>

namespace adarun::launcher::agent::pmix {
namespace {

// The size of a value that points to nothing; 0 for others.
std::size_t plain_size(pmix_data_type_t type) {
  switch (type) {
    case PMIX_BOOL:
      return sizeof(bool);
    case PMIX_BYTE:
    case PMIX_INT8:
    case PMIX_UINT8:
      return 1;
    case PMIX_INT16:
    case PMIX_UINT16:
      return 2;
    case PMIX_INT:
    case PMIX_UINT:
    case PMIX_INT32:
    case PMIX_UINT32:
    case PMIX_FLOAT:
    case PMIX_PID:
    case PMIX_PROC_RANK:
    case PMIX_STATUS:
      return 4;
    case PMIX_INT64:
    case PMIX_UINT64:
    case PMIX_DOUBLE:
    case PMIX_SIZE:
      return 8;
    default:
      return 0;
  }
}

std::string with_type(pmix_data_type_t type, const void* bytes, std::size_t size) {
  std::string result(reinterpret_cast<const char*>(&type), sizeof type);
  return size == 0 ? result : result.append(static_cast<const char*>(bytes), size);
}

// Points into `bytes`. False if they are no value of that type.
bool load(pmix_value_t& value, std::string& bytes) {
  if (value.type == PMIX_STRING) {
    value.data.string = bytes.data();
    return bytes.find('\0') == std::string::npos;
  }
  if (value.type == PMIX_BYTE_OBJECT) {
    value.data.bo = {bytes.data(), bytes.size()};
    return true;
  }
  const std::size_t size = plain_size(value.type);
  if (size == 0 || size != bytes.size()) return false;
  if (value.type == PMIX_BOOL) bytes[0] = static_cast<char>(bytes[0] != 0);
  std::memcpy(&value.data, bytes.data(), size);
  return true;
}

}  // namespace

std::optional<std::string> bytes_of(const pmix_value_t& value) {
  if (value.type == PMIX_STRING) {
    const char* text = value.data.string == nullptr ? "" : value.data.string;
    return with_type(value.type, text, std::strlen(text));
  }
  if (value.type == PMIX_BYTE_OBJECT) return with_type(value.type, value.data.bo.bytes, value.data.bo.size);
  const std::size_t size = plain_size(value.type);
  if (size == 0) return std::nullopt;
  return with_type(value.type, &value.data, size);
}

FoundValues::FoundValues(const std::string& nspace, const std::vector<protocol::PublishedName>& names) {
  for (const protocol::PublishedName& name : names) {
    pmix_pdata_t one{};
    if (name.name.size() > PMIX_MAX_KEYLEN || name.value.size() < sizeof one.value.type) continue;
    std::memcpy(&one.value.type, name.value.data(), sizeof one.value.type);
    std::string& bytes = bytes_.emplace_back(name.value.substr(sizeof one.value.type));
    if (!load(one.value, bytes)) continue;
    std::strncpy(one.key, name.name.c_str(), PMIX_MAX_KEYLEN);
    std::strncpy(one.proc.nspace, nspace.c_str(), PMIX_MAX_NSLEN);
    one.proc.rank = name.rank;
    values_.push_back(one);
  }
}

}  // namespace adarun::launcher::agent::pmix
