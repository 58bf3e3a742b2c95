// SPDX-License-Identifier: Apache-2.0
#include "ranktable/rules/rule.h"

#include <utility>

namespace adarun::ranktable {

void report(Findings& findings, const Rule& rule, std::string path, std::string found) {
  findings.push_back({rule.severity, std::move(path), std::string(rule.wanted), std::string(rule.code),
                      std::move(found), std::string(rule.mend)});
}

}  // namespace adarun::ranktable
