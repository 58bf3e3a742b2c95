// SPDX-License-Identifier: Apache-2.0
#include "launcher/base/read_input.h"

#include <utility>

#include "base/foreign_text.h"
#include "launcher/base/error.h"
#include "ranktable/model/error.h"
#include "ranktable/model/read_start.h"

namespace adarun::launcher {

std::string read_input(const std::string& path, const std::string& kind) {
  std::string text;
  try {
    text = ranktable::read_start(path, max_input_bytes + 1);
  } catch (const ranktable::Error& error) {
    throw Error("cannot read this " + kind + ": " + error.what());
  }
  if (text.size() > max_input_bytes) throw Error(path + ": too large for a " + kind);
  text = base::in_utf8(std::move(text));
  if (const auto found = base::binary_kind(text))
    throw Error(path + ": " + std::string(found->name) + ", and no " + kind +
                (found->advice.empty() ? "" : "; " + std::string(found->advice)));
  return text;
}

}  // namespace adarun::launcher
