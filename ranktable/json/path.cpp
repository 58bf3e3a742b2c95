// SPDX-License-Identifier: Apache-2.0
#include "ranktable/json/path.h"

#include <algorithm>

#include "ranktable/json/quote.h"

namespace adarun::ranktable {

namespace {

constexpr std::size_t longest_plain_name = 64;

bool is_plain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
}

}  // namespace

std::string step_to(std::string_view name) {
  const bool plain =
      !name.empty() && name.size() <= longest_plain_name && std::all_of(name.begin(), name.end(), is_plain);
  return plain ? "." + std::string(name) : "[" + in_quotes(name) + "]";
}

std::string Path::text() const {
  if (parent_ == nullptr) return "$";
  return parent_->text() + "." + std::string(list_) + "[" + std::to_string(index_) + "]";
}

}  // namespace adarun::ranktable
