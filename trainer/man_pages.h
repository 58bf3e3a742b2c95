// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <vector>

#include "manual/man_page.h"

namespace adarun::trainer {

namespace options {
/// The manual page of the trainer's own options.
std::vector<manual::Page> man_pages();
}  // namespace options

namespace sets {
/// Those of `adarun-trainer data` and its commands.
std::vector<manual::Page> man_pages();
}  // namespace sets

/// Writes all of them into `folder`. Throws ranktable::Error where one cannot be written.
void write_man_pages(const std::filesystem::path& folder);

}  // namespace adarun::trainer
