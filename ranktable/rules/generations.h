// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "ranktable/model/finding.h"
#include "ranktable/rules/validate_options.h"

namespace adarun::ranktable {

/// Whether HCCL accepts these four cards, bit i for card i, on Ascend 910, where cards 0-3 and 4-7 form
/// separate rings: 0123 4567 0145 0246 0347 1256 1357 2367.
bool is_set_of_four(std::uint32_t cards);

/// Reports findings of one generation, prefixed with its name. If that generation was not requested, errors
/// become warnings.
class GenerationFindings {
 public:
  GenerationFindings(Generation generation, bool asked_for, Findings& findings);

  void report(const Rule& rule, const std::string& path, const std::string& found);

 private:
  std::string_view name_;
  bool asked_for_;
  Findings& findings_;
};

}  // namespace adarun::ranktable
