// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ranktable/json/json_text.h"
#include "ranktable/parse.h"

namespace adarun::ranktable {

/// A table of version 1.0, from its root object.
Examined examine_v1(const Json& root);

}  // namespace adarun::ranktable
