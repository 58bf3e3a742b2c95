// SPDX-License-Identifier: Apache-2.0
#include "ranktable/json/path.h"

#include <algorithm>

#include "ranktable/model/quote.h"

namespace adarun::ranktable {
namespace {

constexpr std::size_t longest_bare_name = 64;

bool is_name_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
}

}  // namespace

std::string member_step(std::string_view name) {
  const bool bare = !name.empty() && name.size() <= longest_bare_name &&
                    std::all_of(name.begin(), name.end(), is_name_letter);
  return bare ? "." + std::string(name) : "[" + in_quotes(name) + "]";
}

std::string item_path(const std::string& list, std::size_t index) {
  return list + "[" + std::to_string(index) + "]";
}

std::string Path::text() const {
  if (parent_ == nullptr) return "$";
  return item_path(parent_->text() + "." + std::string(list_), index_);
}

}  // namespace adarun::ranktable
