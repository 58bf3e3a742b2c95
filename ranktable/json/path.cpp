// SPDX-License-Identifier: Apache-2.0
#include "ranktable/json/path.h"

namespace adarun::ranktable {

std::string Path::text() const {
  if (parent_ == nullptr) return "$";
  return parent_->text() + "." + std::string(list_) + "[" + std::to_string(index_) + "]";
}

}  // namespace adarun::ranktable
